#include "adapters/sqlite/ledger_audit.h"

#include <fmt/format.h>

#include <algorithm>

#include "adapters/sqlite/rows.h"

namespace scoreline::sqlite {
namespace {

using leaderboards::LedgerRow;
using leaderboards::ScanProgress;

constexpr std::uint64_t kProgressEvery = 65'536;

/// Whether keys come in strictly ascending order, one after the other.
class KeyOrder {
 public:
  /// Columns of the key, each text or blob; `number`, if any, is compared after the first.
  void next(const std::string_view (&columns)[3], std::int64_t number = 0) {
    if (!first_ && !follows(columns, number)) kept_ = false;
    first_ = false;
    for (int i = 0; i < 3; ++i) last_[i].assign(columns[i]);
    number_ = number;
  }
  bool kept() const { return kept_; }

 private:
  bool follows(const std::string_view (&columns)[3], std::int64_t number) const {
    if (const int order = columns[0].compare(last_[0]); order != 0) return order > 0;
    if (number != number_) return number > number_;
    if (const int order = columns[1].compare(last_[1]); order != 0) return order > 0;
    return columns[2].compare(last_[2]) > 0;
  }

  std::string last_[3];
  std::int64_t number_ = 0;
  bool first_ = true;
  bool kept_ = true;
};

}  // namespace

Result<AuditReport> LedgerAudit::run() {
  if (auto begun = connection_.run("BEGIN"); !begun) return fail(begun.error());
  auto checked = check_batches();
  if (checked) checked = check_small_tables();
  if (checked) checked = check_results();
  if (checked) check_sums();
  if (checked) checked = check_index();
  static_cast<void>(connection_.run("COMMIT"));  // of a read: nothing can be lost
  if (!checked) return fail(checked.error());
  return report_;
}

/// A page that SQLite itself finds damaged is a finding; anything else an error.
Result<void> LedgerAudit::unreadable(std::string_view doing) {
  Error error = connection_.error(doing);
  if (error.code != Code::damaged) return fail(std::move(error));
  report_.findings.push_back(std::move(error.detail));
  return {};
}

Result<void> LedgerAudit::check_batches() {
  auto batches = connection_.prepare("SELECT seq, kind, rows, rows_hash, chain FROM batches ORDER BY seq");
  if (!batches) return unreadable("reading batches");
  Step step;
  while ((step = batches->step()) == Step::row) {
    const Delta delta{batches->integer(2), static_cast<std::uint64_t>(batches->integer(3))};
    const Head stored{static_cast<std::uint64_t>(batches->integer(0)), static_cast<std::uint64_t>(batches->integer(4))};
    const Head sealed = seal(head_, batches->bytes(1), delta);
    if (stored != sealed) {
      report_.findings.push_back(stored.seq != sealed.seq
                                     ? fmt::format("batches {} to {} are missing", sealed.seq, stored.seq - 1)
                                     : fmt::format("the chain breaks at batch {}: expected {:016x}, found {:016x}",
                                                   stored.seq, sealed.chain, stored.chain));
    }
    head_ = stored;  // one finding a break, not one for each batch after it
    expected_rows_ += delta.rows;
    expected_hash_ += delta.rows_hash;
    ++report_.batches;
  }
  return step == Step::failed ? unreadable("reading batches") : Result<void>{};
}

Result<std::uint64_t> LedgerAudit::sum_of(Table table, std::string_view sql, std::uint64_t& hash) {
  auto rows = connection_.prepare(sql);
  std::uint64_t count = 0;
  Step step = Step::failed;
  if (rows) {
    while ((step = rows->step()) == Step::row) {
      hash += hasher_.row(table, *rows);
      ++count;
    }
  }
  if (step == Step::failed) {
    if (auto told = unreadable("reading a table of the ledger"); !told) return fail(told.error());
  }
  return count;
}

Result<void> LedgerAudit::check_small_tables() {
  const auto leaderboards = sum_of(Table::leaderboards, kLeaderboardRows, found_hash_);
  if (!leaderboards) return fail(leaderboards.error());
  const auto seasons = sum_of(Table::seasons, kSeasonRows, found_hash_);
  if (!seasons) return fail(seasons.error());
  const auto calendars = sum_of(Table::calendars, kCalendarRows, found_hash_);
  if (!calendars) return fail(calendars.error());
  const auto criteria = sum_of(Table::criteria, kCriterionRows, found_hash_);
  if (!criteria) return fail(criteria.error());
  const auto closings = sum_of(Table::closings, kClosingRows, found_hash_);
  if (!closings) return fail(closings.error());
  report_.leaderboards = *leaderboards;
  report_.seasons = *seasons;

  auto erasures = connection_.prepare(kErasureRows);
  if (!erasures) return unreadable("reading erasures");
  Step step;
  while ((step = erasures->step()) == Step::row) {
    found_hash_ += hasher_.row(Table::erasures, *erasures);
    std::string key(erasures->bytes(0));
    key.append(1, '\0').append(erasures->bytes(1));
    up_to_batch_[std::move(key)] = erasures->integer(2);
    ++report_.erasures;
  }
  if (step == Step::failed) return unreadable("reading erasures");
  return check_moderation();
}

Result<void> LedgerAudit::keys_of(Table table, std::string_view sql, std::unordered_set<std::string>& keys) {
  auto rows = connection_.prepare(sql);
  if (!rows) return unreadable("reading what does not count");
  Step step;
  while ((step = rows->step()) == Step::row) {
    found_hash_ += hasher_.row(table, *rows);
    std::string key(rows->bytes(0));
    key.append(1, '\0').append(rows->bytes(1));
    keys.insert(std::move(key));
  }
  return step == Step::failed ? unreadable("reading what does not count") : Result<void>{};
}

Result<void> LedgerAudit::check_moderation() {
  if (auto hidden = keys_of(Table::hidden_players, kHiddenRows, hidden_players_); !hidden) return hidden;
  if (auto voided = keys_of(Table::voided_matches, kVoidedRows, voided_matches_); !voided) return voided;
  report_.hidden_players = hidden_players_.size();
  report_.voided_matches = voided_matches_.size();
  const auto logged = sum_of(Table::audit_log, kAuditRows, found_hash_);
  return logged ? Result<void>{} : fail(logged.error());
}

bool LedgerAudit::is_among(const std::unordered_set<std::string>& keys, std::string_view first,
                           std::string_view second) {
  if (keys.empty()) return false;
  key_.assign(first).append(1, '\0').append(second);
  return keys.contains(key_);
}

bool LedgerAudit::is_erased(std::string_view leaderboard, std::string_view player, std::int64_t batch) {
  if (up_to_batch_.empty()) return false;
  key_.assign(leaderboard).append(1, '\0').append(player);
  const auto found = up_to_batch_.find(key_);
  return found != up_to_batch_.end() && batch <= found->second;
}

Result<void> LedgerAudit::check_results() {
  auto rows = connection_.prepare(kResultRows);
  if (!rows) return unreadable("reading results");
  const auto total = static_cast<std::uint64_t>(std::max<std::int64_t>(expected_rows_, 0));
  KeyOrder order;
  Step step;
  while ((step = rows->step()) == Step::row) {
    const std::string_view leaderboard = rows->bytes(0), match_id = rows->bytes(1), player = rows->bytes(2);
    const std::int64_t season = rows->integer(3);
    found_hash_ += hasher_.row(Table::match_results, *rows);
    order.next({leaderboard, match_id, player});
    if (rows->integer(7) == 1) {
      hasher_.begin(Table::match_results_by_player);
      hasher_.add_text(leaderboard);
      hasher_.add(season);
      hasher_.add_text(player);
      hasher_.add(1);
      hasher_.add_blob(match_id);
      index_hash_ += hasher_.digest();
      ++index_rows_;
    }
    if (report_.results++ % kProgressEvery == 0 && progress_) progress_({report_.results - 1, total});
    if (is_erased(leaderboard, player, rows->integer(6))) {
      ++report_.erased_results;
    } else if (visit_ && !is_among(hidden_players_, leaderboard, player) &&
               !is_among(voided_matches_, leaderboard, match_id)) {
      LedgerRow row{leaderboard,        {static_cast<std::int32_t>(season)},         player, {}, rows->integer(4),
                    {rows->integer(5)}, static_cast<std::uint64_t>(rows->integer(8))};
      std::copy_n(match_id.begin(), std::min(match_id.size(), row.match_id.bytes.size()), row.match_id.bytes.begin());
      visit_(row);
    }
  }
  if (!order.kept()) report_.findings.push_back("results do not lie in the order of their key");
  if (step == Step::failed) return unreadable("reading results");
  if (progress_) progress_({report_.results, total});
  return {};
}

void LedgerAudit::check_sums() {
  if (static_cast<std::int64_t>(report_.results) != expected_rows_) {
    report_.findings.push_back(
        fmt::format("{} batches recorded {} results, found {}", report_.batches, expected_rows_, report_.results));
  }
  if (found_hash_ != expected_hash_) {
    report_.findings.push_back(
        fmt::format("the rows do not add up to the checksum of {} batches: expected {:016x}, "
                    "found {:016x}",
                    report_.batches, expected_hash_, found_hash_));
  }
}

Result<void> LedgerAudit::check_index() {
  auto rows = connection_.prepare(kIndexRows);
  if (!rows) return unreadable("reading the index by player");
  KeyOrder order;
  std::uint64_t count = 0, hash = 0;
  Step step;
  while ((step = rows->step()) == Step::row) {
    hash += hasher_.row(Table::match_results_by_player, *rows);
    order.next({rows->bytes(0), rows->bytes(2), rows->bytes(4)}, rows->integer(1));
    ++count;
  }
  if (step == Step::failed) return unreadable("reading the index by player");
  if (!order.kept()) report_.findings.push_back("the index by player is out of order");
  if (count != index_rows_ || hash != index_hash_) {
    report_.findings.push_back(
        fmt::format("the index by player does not match the results: expected {} in it, found {}", index_rows_, count));
  }
  return {};
}

Result<void> check_witnessed(Connection& connection, const Head& witnessed, const Head& last) {
  if (witnessed.seq == 0) return {};
  if (witnessed.seq > last.seq) {
    return fail(
        Code::damaged,
        fmt::format("committed batches are missing: ledger.head names batch {}, ledger.sqlite ends at batch {}. "
                    "Restore a backup; if you did just that, delete ledger.head and start again",
                    witnessed.seq, last.seq));
  }
  auto batch = connection.prepare("SELECT chain FROM batches WHERE seq = ?1");
  if (!batch) return fail(batch.error());
  const Step step = batch->bind(1, static_cast<std::int64_t>(witnessed.seq)).step();
  if (step == Step::failed) return fail(connection.error("reading the witnessed batch"));
  const auto chain = step == Step::row ? static_cast<std::uint64_t>(batch->integer(0)) : 0;
  if (step == Step::row && chain == witnessed.chain) return {};
  return fail(Code::damaged,
              fmt::format("batch {} of ledger.sqlite is not the one that was committed, as ledger.head has "
                          "it. Restore a backup; if you did just that, delete ledger.head and start again",
                          witnessed.seq));
}

}  // namespace scoreline::sqlite
