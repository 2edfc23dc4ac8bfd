#include "adapters/sqlite/sqlite_ledger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "adapters/sqlite/rows.h"
#include "adapters/sqlite/sqlite_dead_letters.h"
#include "base/limits.h"

namespace scoreline::sqlite {

using leaderboards::LeaderboardRecord;
using leaderboards::MatchResult;
using leaderboards::Recorded;

namespace {

constexpr int kMaxIntegrityLines = 10;

std::uint64_t hash_of(RowHasher& hasher, const MatchResult& result, std::int64_t batch, bool by_player) {
  hasher.begin(Table::match_results);
  hasher.add_text(result.leaderboard.text());
  hasher.add_blob({reinterpret_cast<const char*>(result.match_id.bytes.data()), result.match_id.bytes.size()});
  hasher.add_text(result.player.text());
  hasher.add(result.season.value);
  hasher.add(result.points);
  hasher.add(result.achieved_at.ms);
  hasher.add(batch);
  hasher.add(by_player ? 1 : 0);
  if (result.extra != 0) hasher.add(static_cast<std::int64_t>(result.extra));
  return hasher.digest();
}

Result<leaderboards::Definition> read_definition(const Statement& row) {
  const auto rule = leaderboards::parse_rule(row.bytes(1));
  const auto order = leaderboards::parse_order(row.bytes(2));
  const auto ties = leaderboards::parse_ties(row.bytes(4));
  const auto key = leaderboards::parse_key(row.bytes(5));
  if (!rule || !order || !ties || !key) {
    return fail(Code::damaged, fmt::format("the definition of leaderboard {} cannot be read", row.bytes(0)));
  }
  leaderboards::Definition definition{leaderboards::LeaderboardName::trusted(std::string(row.bytes(0)))};
  definition.rule = *rule;
  definition.order = *order;
  definition.scale = static_cast<int>(row.integer(3));
  definition.ties = *ties;
  definition.key = *key;
  definition.min_points = row.integer(6);
  definition.max_points = row.integer(7);
  definition.grace = std::chrono::milliseconds{row.integer(8)};
  definition.top = static_cast<int>(row.integer(9));
  return definition;
}

std::optional<Timestamp> read_time(const Statement& row, int column) {
  if (row.type(column) == Statement::Type::null) return std::nullopt;
  return Timestamp{row.integer(column)};
}

/// Of the row that `row` stands on.
Result<void> read_calendar(const Statement& row, leaderboards::Definition& definition) {
  const auto week_start = leaderboards::parse_week_start(row.bytes(4));
  if (!week_start) {
    return fail(Code::damaged, fmt::format("the calendar of leaderboard {} cannot be read", row.bytes(0)));
  }
  definition.periods = {row.integer(1) != 0,
                        row.integer(2) != 0,
                        std::string(row.bytes(3)),
                        *week_start,
                        static_cast<int>(row.integer(5)),
                        static_cast<int>(row.integer(6))};
  if (row.type(7) != Statement::Type::null) definition.schedule.cron = std::string(row.bytes(7));
  if (row.type(8) != Statement::Type::null) definition.schedule.every = std::chrono::milliseconds{row.integer(8)};
  definition.schedule.from = read_time(row, 9);
  return {};
}

/// Of the row that `row` stands on.
Result<leaderboards::Criterion> read_criterion(const Statement& row) {
  const auto order = leaderboards::parse_order(row.bytes(3));
  if (!order) return fail(Code::damaged, fmt::format("the criteria of leaderboard {} cannot be read", row.bytes(0)));
  return leaderboards::Criterion{std::string(row.bytes(2)), *order, static_cast<int>(row.integer(4)), row.integer(5),
                                 row.integer(6)};
}

leaderboards::Season read_season(const Statement& row) {
  leaderboards::Season season{{static_cast<std::int32_t>(row.integer(1))}, read_time(row, 2), read_time(row, 3)};
  if (row.type(4) != Statement::Type::null) {
    const bool closed = row.bytes(4) == "closed";
    season.state = closed ? leaderboards::SeasonState::closed : leaderboards::SeasonState::closing;
    season.players = static_cast<std::uint64_t>(row.integer(5));
    season.anonymous = static_cast<std::uint64_t>(row.integer(6));
  }
  return season;
}

Result<std::vector<LeaderboardRecord>> read_leaderboards(Connection& connection) {
  std::map<std::string, LeaderboardRecord, std::less<>> records;
  auto rows = connection.prepare(kLeaderboardRows);
  if (!rows) return fail(rows.error());
  Step step;
  while ((step = rows->step()) == Step::row) {
    auto definition = read_definition(*rows);
    if (!definition) return fail(definition.error());
    std::string name = definition->name.text();
    records.emplace(std::move(name), LeaderboardRecord{std::move(*definition), {}});
  }
  if (step == Step::failed) return fail(connection.error("reading leaderboards"));
  auto calendars = connection.prepare(kCalendarRows);
  if (!calendars) return fail(calendars.error());
  while ((step = calendars->step()) == Step::row) {
    const auto record = records.find(calendars->bytes(0));
    if (record == records.end()) return fail(Code::damaged, "a calendar of a leaderboard that is not there");
    if (auto read = read_calendar(*calendars, record->second.definition); !read) return fail(read.error());
  }
  if (step == Step::failed) return fail(connection.error("reading calendars"));
  auto criteria = connection.prepare(fmt::format("{} ORDER BY leaderboard, place", kCriterionRows));
  if (!criteria) return fail(criteria.error());
  while ((step = criteria->step()) == Step::row) {
    const auto record = records.find(criteria->bytes(0));
    if (record == records.end()) return fail(Code::damaged, "a criterion of a leaderboard that is not there");
    auto criterion = read_criterion(*criteria);
    if (!criterion) return fail(criterion.error());
    record->second.definition.criteria.push_back(*std::move(criterion));
  }
  if (step == Step::failed) return fail(connection.error("reading criteria"));
  auto hidden = connection.prepare(kHiddenRows);
  if (!hidden) return fail(hidden.error());
  while ((step = hidden->step()) == Step::row) {
    const auto record = records.find(hidden->bytes(0));
    if (record == records.end()) return fail(Code::damaged, "a hidden player of a leaderboard that is not there");
    record->second.hidden.push_back({leaderboards::PlayerId::trusted(std::string(hidden->bytes(1))),
                                     Timestamp{hidden->integer(2)}, std::string(hidden->bytes(3))});
  }
  if (step == Step::failed) return fail(connection.error("reading hidden players"));
  auto seasons = connection.prepare(
      "SELECT leaderboard, season_id, start_at, end_at, state, players, anonymous FROM seasons "
      "LEFT JOIN closings USING (leaderboard, season_id)");
  if (!seasons) return fail(seasons.error());
  while ((step = seasons->step()) == Step::row) {
    const auto record = records.find(seasons->bytes(0));
    if (record == records.end()) return fail(Code::damaged, "a season of a leaderboard that is not there");
    record->second.seasons.push_back(read_season(*seasons));
  }
  if (step == Step::failed) return fail(connection.error("reading seasons"));
  std::vector<LeaderboardRecord> all;
  all.reserve(records.size());
  for (auto& [name, record] : records) all.push_back(std::move(record));
  return all;
}

/// Whether a look-up finds a row.
Result<bool> exists(Statement& statement, const Connection& connection) {
  const Step step = statement.step();
  const Error error = step == Step::failed ? connection.error("looking for a result") : Error{};
  statement.reset();
  if (step == Step::failed) return fail(error);
  return step == Step::row;
}

}  // namespace

SqliteLedger::SqliteLedger(FolderLock lock, std::filesystem::path file, std::unique_ptr<LedgerWriter> writer)
    : lock_(std::move(lock)), file_(std::move(file)), writer_(std::move(writer)) {}

bool SqliteLedger::is_in(const std::filesystem::path& folder) {
  std::error_code error;
  return std::filesystem::exists(folder / kLedgerFile, error) || std::filesystem::exists(folder / kHeadFile, error);
}

Result<std::unique_ptr<SqliteLedger>> SqliteLedger::open(const std::filesystem::path& folder, const Options& options) {
  auto lock = FolderLock::take(folder);
  if (!lock) return fail(lock.error());
  auto writer = LedgerWriter::open(folder, options);
  if (!writer) return fail(writer.error());
  std::unique_ptr<SqliteLedger> ledger(new SqliteLedger(std::move(*lock), folder / kLedgerFile, std::move(*writer)));
  if (auto prepared = ledger->prepare(); !prepared) return fail(prepared.error());
  if (ledger->writer_->witness_made_again()) {
    ledger->notes_.push_back(
        "ledger.head was missing or unreadable and was made again from ledger.sqlite: expected after "
        "restoring a backup; otherwise compare with a backup that no committed batch is missing");
  }
  return ledger;
}

Result<void> SqliteLedger::prepare() {
  auto insert = writer_->connection().prepare(
      "INSERT INTO match_results(leaderboard, match_id, player_id, season_id, points, achieved_at, batch, by_player, "
      "extra) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT DO NOTHING");
  if (!insert) return fail(insert.error());
  insert_result_ = std::move(*insert);

  const auto records = read_leaderboards(writer_->connection());
  if (!records) return fail(records.error());
  for (const LeaderboardRecord& record : *records) {
    const leaderboards::Definition& definition = record.definition;
    if (definition.rule == leaderboards::Rule::sum) by_player_.insert(definition.name.text());
  }
  if (auto known = prepare_voiding(); !known) return known;

  auto archive_reader = open_reader();
  if (!archive_reader) return fail(archive_reader.error());
  auto archives = SqliteArchives::open(*writer_, *std::move(archive_reader));
  if (!archives) return fail(archives.error());
  archives_ = *std::move(archives);

  auto reader = open_reader();
  if (!reader) return fail(reader.error());
  reader_ = std::move(*reader);  // before its statements: they must go first, also when one of them fails
  const std::pair<Statement*, std::string_view> statements[] = {
      {&is_sum_, "SELECT 1 FROM leaderboards WHERE name = ?1 AND rule = 'sum'"},
      {&results_of_sum_,
       "SELECT points, achieved_at, extra FROM match_results AS r INDEXED BY match_results_by_player "
       "WHERE leaderboard = ?1 AND season_id = ?2 AND player_id = ?3 AND by_player = 1 AND batch > coalesce("
       "(SELECT up_to_batch FROM erasures WHERE leaderboard = ?1 AND player_id = ?3), 0) AND NOT EXISTS "
       "(SELECT 1 FROM hidden_players WHERE leaderboard = ?1 AND player_id = ?3) AND NOT EXISTS "
       "(SELECT 1 FROM voided_matches AS v WHERE v.leaderboard = ?1 AND v.match_id = r.match_id)"},
      {&results_of_other_,
       "SELECT points, achieved_at, extra FROM match_results AS r NOT INDEXED "
       "WHERE leaderboard = ?1 AND season_id = ?2 AND player_id = ?3 AND batch > coalesce("
       "(SELECT up_to_batch FROM erasures WHERE leaderboard = ?1 AND player_id = ?3), 0) AND NOT EXISTS "
       "(SELECT 1 FROM hidden_players WHERE leaderboard = ?1 AND player_id = ?3) AND NOT EXISTS "
       "(SELECT 1 FROM voided_matches AS v WHERE v.leaderboard = ?1 AND v.match_id = r.match_id)"},
      {&kept_,
       "SELECT season_id, points, achieved_at, extra FROM match_results "
       "WHERE leaderboard = ?1 AND match_id = ?2 AND player_id = ?3 AND batch > coalesce("
       "(SELECT up_to_batch FROM erasures WHERE leaderboard = ?1 AND player_id = ?3), 0) AND NOT EXISTS "
       "(SELECT 1 FROM hidden_players WHERE leaderboard = ?1 AND player_id = ?3) AND NOT EXISTS "
       "(SELECT 1 FROM voided_matches WHERE leaderboard = ?1 AND match_id = ?2)"},
      {&contains_,
       "SELECT 1 FROM match_results WHERE leaderboard = ?1 AND match_id = ?2 AND player_id = ?3 "
       "UNION ALL SELECT 1 FROM voided_matches WHERE leaderboard = ?1 AND match_id = ?2"},
      {&results_of_player_,
       "SELECT match_id, season_id, points, achieved_at, extra FROM match_results AS r NOT INDEXED "
       "WHERE leaderboard = ?1 AND player_id = ?2 AND batch > coalesce("
       "(SELECT up_to_batch FROM erasures WHERE leaderboard = ?1 AND player_id = ?2), 0) AND NOT EXISTS "
       "(SELECT 1 FROM hidden_players WHERE leaderboard = ?1 AND player_id = ?2) AND NOT EXISTS "
       "(SELECT 1 FROM voided_matches AS v WHERE v.leaderboard = ?1 AND v.match_id = r.match_id)"},
      {&has_results_,
       "SELECT 1 FROM match_results AS r WHERE leaderboard = ?1 AND batch > coalesce("
       "(SELECT up_to_batch FROM erasures AS e WHERE e.leaderboard = ?1 AND e.player_id = r.player_id), 0) "
       "AND NOT EXISTS (SELECT 1 FROM voided_matches AS v WHERE v.leaderboard = ?1 AND v.match_id = r.match_id) "
       "LIMIT 1"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = reader_->prepare(sql);
    if (!prepared) return fail(prepared.error());
    *statement = std::move(*prepared);
  }
  return {};
}

Result<Connection> SqliteLedger::open_reader() const { return Connection::open(file_, Access::read_only); }

Result<std::unique_ptr<ingest::DeadLetters>> SqliteLedger::open_dead_letters() {
  auto reader = open_reader();
  if (!reader) return fail(reader.error());
  return std::make_unique<SqliteDeadLetters>(*writer_, *std::move(reader));
}

Result<std::vector<Recorded>> SqliteLedger::append(std::span<const MatchResult> batch) {
  SCORELINE_CHECK(!batch.empty() && batch.size() <= kMaxBatch);
  if (auto begun = writer_->begin(); !begun) return fail(begun.error());
  const std::int64_t seq = writer_->next_seq();
  std::vector<Recorded> answers;
  answers.reserve(batch.size());
  Delta delta;
  for (const MatchResult& result : batch) {
    const auto voided = is_void(result.leaderboard.text(), result.match_id);
    if (!voided) {
      writer_->rollback();
      return fail(voided.error());
    }
    if (*voided) {
      answers.push_back(Recorded::duplicate);
      continue;
    }
    if (archives_->is_closed(result.leaderboard.text(), result.season)) {
      const auto known = contains(result.leaderboard, result.match_id, result.player);
      if (!known) {
        writer_->rollback();
        return fail(known.error());
      }
      answers.push_back(*known ? Recorded::duplicate : Recorded::season_closed);
      continue;
    }
    const bool by_player = is_by_player(result.leaderboard.text());
    insert_result_.bind(1, result.leaderboard.text())
        .bind(2, result.match_id.bytes)
        .bind(3, result.player.text())
        .bind(4, std::int64_t{result.season.value})
        .bind(5, result.points)
        .bind(6, result.achieved_at.ms)
        .bind(7, seq)
        .bind(8, std::int64_t{by_player})
        .bind(9, static_cast<std::int64_t>(result.extra));
    if (!insert_result_.run()) return fail(writer_->abandon("recording a result"));
    const bool recorded = writer_->connection().changes() == 1;
    answers.push_back(recorded ? Recorded::recorded : Recorded::duplicate);
    if (!recorded) continue;
    ++delta.rows;
    delta.rows_hash += hash_of(hasher_, result, seq, by_player);
  }
  if (delta.rows == 0) {
    writer_->rollback();  // nothing new: what duplicates repeat is durable already
    return answers;
  }
  if (auto committed = writer_->commit("append", delta); !committed) return fail(committed.error());
  return answers;
}

Result<void> SqliteLedger::scan(const std::function<void(const leaderboards::LedgerRow&)>& visit,
                                const std::function<void(leaderboards::ScanProgress)>& progress) {
  auto reader = open_reader();
  if (!reader) return fail(reader.error());
  const auto report = LedgerAudit(*reader, visit, progress).run();
  if (!report) return fail(report.error());
  if (report->findings.empty()) return {};
  return fail(Code::damaged, fmt::format("the ledger is damaged: {}", fmt::join(report->findings, "; ")));
}

Result<AuditReport> SqliteLedger::verify(const std::function<void(leaderboards::ScanProgress)>& progress) {
  // Before the audit's view of the ledger begins, which is then at least as new.
  const auto witnessed = writer_->witness().last();
  auto reader = open_reader();
  if (!reader) return fail(reader.error());
  auto report = LedgerAudit(*reader, nullptr, progress).run();
  if (!report) return report;

  if (!witnessed) {
    report->findings.push_back("ledger.head cannot be read");
  } else if (const auto last = reader->integer("SELECT coalesce(max(seq), 0) FROM batches"); !last) {
    if (last.error().code != Code::damaged) return fail(last.error());
    report->findings.push_back(last.error().detail);
  } else if (auto told = check_witnessed(*reader, *witnessed, Head{static_cast<std::uint64_t>(*last), 0}); !told) {
    if (told.error().code != Code::damaged) return fail(told.error());
    report->findings.push_back(told.error().detail);
  }

  if (auto checked = check_archives(*reader, *report); !checked) return fail(checked.error());
  auto check = reader->prepare("PRAGMA integrity_check");
  if (!check) return fail(check.error());
  Step step;
  for (int lines = 0; lines < kMaxIntegrityLines && (step = check->step()) == Step::row; ++lines) {
    if (check->bytes(0) != "ok") report->findings.push_back(fmt::format("integrity_check: {}", check->bytes(0)));
  }
  if (step == Step::failed) {
    Error error = reader->error("integrity_check");
    if (error.code != Code::damaged) return fail(std::move(error));
    report->findings.push_back(std::move(error.detail));
  }
  return report;
}

Result<void> SqliteLedger::results_of(const leaderboards::BoardId& board,
                                      std::span<const leaderboards::PlayerId> players, const ResultVisitor& visit) {
  const std::lock_guard lock(reader_mutex_);
  is_sum_.bind(1, board.leaderboard.text());
  const auto is_sum = exists(is_sum_, *reader_);
  if (!is_sum) return fail(is_sum.error());
  Statement& rows = *is_sum ? results_of_sum_ : results_of_other_;
  for (const leaderboards::PlayerId& player : players) {
    rows.bind(1, board.leaderboard.text()).bind(2, std::int64_t{board.season.value}).bind(3, player.text());
    Step step;
    while ((step = rows.step()) == Step::row) {
      visit(player.text(), {rows.integer(0), Timestamp{rows.integer(1)}, static_cast<std::uint64_t>(rows.integer(2))});
    }
    const Error error = step == Step::failed ? reader_->error("reading the results of a player") : Error{};
    rows.reset();
    if (step == Step::failed) return fail(error);
  }
  return {};
}

Result<void> SqliteLedger::visit_kept(std::span<const MatchResult> like,
                                      const std::function<void(const leaderboards::LedgerRow&)>& visit) {
  const std::lock_guard lock(reader_mutex_);
  // One view for all of them: to begin a view costs as much as several look-ups.
  if (auto begun = reader_->run("BEGIN"); !begun) return begun;
  Result<void> read;
  for (const MatchResult& asked : like) {
    kept_.bind(1, asked.leaderboard.text()).bind(2, asked.match_id.bytes).bind(3, asked.player.text());
    const Step step = kept_.step();
    if (step == Step::row) {
      visit({asked.leaderboard.text(),
             {static_cast<std::int32_t>(kept_.integer(0))},
             asked.player.text(),
             asked.match_id,
             kept_.integer(1),
             Timestamp{kept_.integer(2)},
             static_cast<std::uint64_t>(kept_.integer(3))});
    }
    if (step == Step::failed) read = fail(reader_->error("reading a result"));
    kept_.reset();
    if (!read) break;
  }
  static_cast<void>(reader_->run("COMMIT"));  // of a read
  return read;
}

Result<bool> SqliteLedger::contains(const leaderboards::LeaderboardName& leaderboard, const Uuid& match_id,
                                    const leaderboards::PlayerId& player) {
  const std::lock_guard lock(reader_mutex_);
  contains_.bind(1, leaderboard.text()).bind(2, match_id.bytes).bind(3, player.text());
  return exists(contains_, *reader_);
}

Result<bool> SqliteLedger::has_results(const leaderboards::LeaderboardName& leaderboard) {
  const std::lock_guard lock(reader_mutex_);
  has_results_.bind(1, leaderboard.text());
  return exists(has_results_, *reader_);
}

std::optional<Error> SqliteLedger::write_failure() const {
  std::string why = writer_->failure();
  if (why.empty()) return std::nullopt;
  return Error{Code::storage_failed, std::move(why), {}, std::nullopt};
}

Result<std::vector<LeaderboardRecord>> SqliteLedger::leaderboards() {
  const std::lock_guard lock(reader_mutex_);
  if (auto begun = reader_->run("BEGIN"); !begun) return fail(begun.error());
  auto records = read_leaderboards(*reader_);
  static_cast<void>(reader_->run("COMMIT"));  // of a read
  return records;
}

}  // namespace scoreline::sqlite
