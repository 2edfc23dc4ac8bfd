#include "adapters/postgres/postgres_ledger.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "adapters/postgres/append_batch.h"
#include "adapters/postgres/migrations.h"
#include "adapters/postgres/postgres_archives.h"
#include "adapters/postgres/postgres_dead_letters.h"
#include "adapters/postgres/statements.h"
#include "base/limits.h"

namespace scoreline::postgres {

using leaderboards::LedgerRow;
using leaderboards::MatchResult;
using leaderboards::PlayerId;
using leaderboards::Recorded;

namespace {

// The second half does not run on a leaderboard whose rule is sum: there all rows are in the index.
constexpr Statement kResultsOf{
    "results_of",
    "SELECT player_id, points, achieved_at, extra FROM match_results AS r "
    "WHERE leaderboard = $1::text AND season_id = $2::integer AND player_id = ANY($3::text[]) AND by_player "
    "AND NOT erased AND NOT EXISTS (SELECT FROM hidden_players AS h "
    "WHERE h.leaderboard = r.leaderboard AND h.player_id = r.player_id) "
    "UNION ALL SELECT player_id, points, achieved_at, extra FROM match_results AS r "
    "WHERE leaderboard = $1::text AND season_id = $2::integer AND player_id = ANY($3::text[]) AND NOT by_player "
    "AND NOT erased AND NOT EXISTS (SELECT FROM hidden_players AS h "
    "WHERE h.leaderboard = r.leaderboard AND h.player_id = r.player_id) AND NOT EXISTS (SELECT FROM leaderboards WHERE "
    "name = $1::text AND rule = 'sum')"};
constexpr Statement kKept{
    "kept",
    "SELECT kept.leaderboard, season_id, kept.player_id, kept.match_id, points, achieved_at, extra "
    "FROM unnest($1::text[], $2::uuid[], $3::text[]) AS like_this(leaderboard, match_id, player_id) "
    "JOIN match_results AS kept USING (leaderboard, match_id, player_id) WHERE NOT erased AND NOT EXISTS (SELECT "
    "FROM hidden_players AS h WHERE h.leaderboard = kept.leaderboard AND h.player_id = kept.player_id)"};
constexpr Statement kThere{"there",
                           "SELECT place FROM unnest($1::text[], $2::uuid[], $3::text[]) WITH ORDINALITY "
                           "AS like_this(leaderboard, match_id, player_id, place) "
                           "JOIN match_results USING (leaderboard, match_id, player_id)"};
constexpr Statement kContains{"contains",
                              "SELECT EXISTS (SELECT FROM match_results WHERE leaderboard = $1::text "
                              "AND match_id = $2::uuid AND player_id = $3::text) OR EXISTS (SELECT FROM voided_matches "
                              "WHERE leaderboard = $1::text AND match_id = $2::uuid)"};
constexpr Statement kHasResults{
    "has_results", "SELECT EXISTS (SELECT FROM match_results WHERE leaderboard = $1::text AND NOT erased)"};
constexpr Statement kWatermark{"watermark", "SELECT pg_snapshot_xmin(pg_current_snapshot())::text::bigint"};
// The timeline changes when a standby takes over, or after a recovery to an earlier moment.
constexpr Statement kIdentity{
    "identity",
    "SELECT md5(concat_ws('/', identity, (SELECT system_identifier FROM pg_control_system()), "
    "CASE WHEN pg_is_in_recovery() THEN 'standby' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END, "
    "(SELECT oid FROM pg_database WHERE datname = current_database()), 'match_results'::regclass::oid)) FROM ledger"};
constexpr Statement kDefinitionsVersion{"definitions_version", "SELECT definitions_version FROM ledger"};

constexpr int kWriteAttempts = 4;
constexpr std::chrono::milliseconds kLeaving{1'000};

/// Whether the session is of no more use.
bool ends_session(const Failure& failure) {
  // 26000: a prepared statement is not there (a pooler gave us another session); 0A000: the tables have changed.
  return failure.connection_lost || failure.state == "26000" || failure.state == "0A000";
}

/// Whether the same calls may succeed at once, and cannot have taken effect before.
bool is_worth_another_try(const Failure& failure) {
  return !failure.may_be_kept && (ends_session(failure) || trouble_of(failure) == Trouble::conflict);
}

}  // namespace

PostgresLedger::PostgresLedger(ConnectionUrl url, const Options& options, const Clock& clock, Random& random)
    : options_(options),
      connector_(std::move(url), options, clock, random),
      readers_(connector_, options),
      archives_(std::make_unique<PostgresArchives>(*this)) {}

PostgresLedger::~PostgresLedger() {
  if (writer_ && !untold_) writer_->leave(in(kLeaving));
}

Result<std::unique_ptr<PostgresLedger>> PostgresLedger::open(std::string_view url, const Options& options,
                                                             const Clock& clock, Random& random) {
  auto parsed = ConnectionUrl::parse(url);
  if (!parsed) return fail(parsed.error());
  std::unique_ptr<PostgresLedger> ledger(new PostgresLedger(*std::move(parsed), options, clock, random));
  if (auto prepared = ledger->prepare(); !prepared) return fail(prepared.error());
  return ledger;
}

Result<void> PostgresLedger::prepare() {
  auto session = connector_.connect(in(options_.timeout), Connector::When::waiting);
  if (!session) return fail(to_error(session.error(), "opening the ledger"));
  if (auto migrated = migrate(*session, in(options_.bulk_timeout)); !migrated) return migrated;
  auto report = report_on(*session, in(options_.timeout));
  if (!report) return fail(report.error());
  report_ = *std::move(report);
  writer_.emplace(*std::move(session));
  return {};
}

leaderboards::Archives& PostgresLedger::archives() { return *archives_; }

std::unique_ptr<ingest::DeadLetters> PostgresLedger::dead_letters() {
  return std::make_unique<PostgresDeadLetters>(*this);
}

Attempt<std::vector<Rows>> PostgresLedger::write(std::span<const Call> calls, std::chrono::milliseconds timeout) {
  const std::lock_guard lock(writer_mutex_);
  const Monotonic deadline = in(timeout);
  for (int attempt = 1;; ++attempt) {
    if (writer_ && !writer_->is_alive()) writer_.reset();
    if (!writer_) {
      auto session = connector_.connect(deadline, Connector::When::waiting);
      if (!session) return tl::unexpected<Failure>(session.error());
      writer_.emplace(*std::move(session));
    }
    auto rows = writer_->run(calls, deadline);
    if (rows) return rows;
    if (ends_session(rows.error())) writer_.reset();
    const bool again = is_worth_another_try(rows.error()) && attempt < kWriteAttempts && in({}) < deadline;
    if (!again) return rows;
  }
}

Result<std::vector<Recorded>> PostgresLedger::append(std::span<const MatchResult> batch) {
  SCORELINE_CHECK(!batch.empty() && batch.size() <= kMaxBatch);
  const AppendBatch sorted(batch);
  const auto rows = write(sorted.calls(), options_.timeout);
  if (rows) return settle_closed(batch, sorted.answers(*rows));
  Error error = to_error(rows.error(), "recording results");
  if (error.code == Code::invalid && batch.size() == 1) {
    error.detail = fmt::format("match {}: {}", format_uuid(batch.front().match_id), error.detail);
    error.field = "matchId";
  }
  return fail(std::move(error));
}

/// What a closed season took while it was open is a duplicate.
Result<std::vector<Recorded>> PostgresLedger::settle_closed(std::span<const MatchResult> batch,
                                                            std::vector<Recorded> answers) {
  std::vector<std::size_t> closed;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    if (answers[i] == Recorded::season_closed) closed.push_back(i);
  }
  if (closed.empty()) return answers;
  Array leaderboards(Type::text, closed.size()), matches(Type::uuid, closed.size()), players(Type::text, closed.size());
  for (const std::size_t i : closed) {
    leaderboards.add(std::string_view(batch[i].leaderboard.text()));
    matches.add(batch[i].match_id);
    players.add(std::string_view(batch[i].player.text()));
  }
  Call call{&kThere, {}};
  call.parameters.add(std::move(leaderboards)).add(std::move(matches)).add(std::move(players));
  const auto there = read("looking for results", std::move(call));
  // What else the batch brought is kept: sent again, it is a duplicate.
  if (!there) return fail(Error{Code::unknown_outcome, there.error().detail, {}, there.error().retry_after});
  for (int row = 0; row < there->size(); ++row) {
    answers[closed[static_cast<std::size_t>(there->integer(row, 0) - 1)]] = Recorded::duplicate;
  }
  return answers;
}

Result<void> PostgresLedger::scan(const std::function<void(const LedgerRow&)>& visit,
                                  const std::function<void(leaderboards::ScanProgress)>& progress) {
  return scan_from(std::nullopt, visit, progress);
}

Result<void> PostgresLedger::scan_since(Watermark since, const std::function<void(const LedgerRow&)>& visit) {
  return scan_from(since, visit, nullptr);
}

Result<void> PostgresLedger::scan_from(std::optional<Watermark> since,
                                       const std::function<void(const LedgerRow&)>& visit,
                                       const std::function<void(leaderboards::ScanProgress)>& progress) {
  constexpr std::string_view kDoing = "reading the ledger";
  auto session = connector_.connect(in(options_.timeout), Connector::When::at_once);
  if (!session) return fail(to_read_error(session.error(), kDoing));
  const auto done = LedgerScan{*session, connector_.clock(), options_.bulk_timeout, visit, progress}.run(since);
  if (!done) return fail(to_read_error(done.error(), kDoing));
  return {};
}

Result<Rows> PostgresLedger::read(std::string_view doing, Call call) {
  return readers_.read(doing, std::span(&call, 1), options_.timeout);
}

Result<Rows> PostgresLedger::read_much(std::string_view doing, Call call) {
  const Call calls[] = {allow_time(), std::move(call)};
  return readers_.read(doing, calls, options_.bulk_timeout);
}

Call PostgresLedger::allow_time() const {
  Call call{&kAllowTime, {}};
  call.parameters.add(std::to_string((options_.bulk_timeout * 4 / 5).count()));
  return call;
}

Result<void> PostgresLedger::results_of(const leaderboards::BoardId& board, std::span<const PlayerId> players,
                                        const ResultVisitor& visit) {
  std::vector<std::string> names;
  names.reserve(players.size());
  for (const PlayerId& player : players) names.push_back(player.text());
  Call call{&kResultsOf, {}};
  call.parameters.add(board.leaderboard.text()).add(board.season.value).add(names);
  const auto rows = read("reading the results of players", std::move(call));
  if (!rows) return fail(rows.error());
  for (int row = 0; row < rows->size(); ++row) {
    visit(rows->bytes(row, 0),
          {rows->integer(row, 1), rows->time(row, 2), static_cast<std::uint64_t>(rows->integer(row, 3))});
  }
  return {};
}

Result<void> PostgresLedger::visit_kept(std::span<const MatchResult> like,
                                        const std::function<void(const LedgerRow&)>& visit) {
  Array leaderboards(Type::text, like.size()), matches(Type::uuid, like.size()), players(Type::text, like.size());
  for (const MatchResult& result : like) {
    leaderboards.add(std::string_view(result.leaderboard.text()));
    matches.add(result.match_id);
    players.add(std::string_view(result.player.text()));
  }
  Call call{&kKept, {}};
  call.parameters.add(std::move(leaderboards)).add(std::move(matches)).add(std::move(players));
  const auto rows = read("reading results", std::move(call));
  if (!rows) return fail(rows.error());
  for (int row = 0; row < rows->size(); ++row) visit(ledger_row(*rows, row));
  return {};
}

Result<bool> PostgresLedger::contains(const leaderboards::LeaderboardName& leaderboard, const Uuid& match_id,
                                      const PlayerId& player) {
  Call call{&kContains, {}};
  call.parameters.add(leaderboard.text()).add(match_id).add(player.text());
  return read("looking for a result", std::move(call)).map([](const Rows& rows) { return rows.integer(0, 0) != 0; });
}

Result<bool> PostgresLedger::has_results(const leaderboards::LeaderboardName& leaderboard) {
  Call call{&kHasResults, {}};
  call.parameters.add(leaderboard.text());
  return read_much("looking for results", std::move(call)).map([](const Rows& rows) {
    return rows.integer(0, 0) != 0;
  });
}

Result<Watermark> PostgresLedger::watermark() {
  return read("reading the ledger's position", {&kWatermark, {}}).map([](const Rows& rows) {
    return Watermark{rows.integer(0, 0)};
  });
}

Result<std::string> PostgresLedger::identity() {
  return read("reading the ledger's identity", {&kIdentity, {}}).map([](const Rows& rows) {
    return std::string(rows.bytes(0, 0));
  });
}

Result<std::uint64_t> PostgresLedger::definitions_version() {
  return read("reading the definitions' version", {&kDefinitionsVersion, {}}).map([](const Rows& rows) {
    return static_cast<std::uint64_t>(rows.integer(0, 0));
  });
}

void PostgresLedger::all_shown() {
  const std::lock_guard lock(writer_mutex_);
  if (!writer_) return;
  if (const auto mark = writer_->unmark()) untold_ = mark;
}

Result<void> PostgresLedger::tell_all_shown() {
  std::optional<Mark> mark;
  {
    const std::lock_guard lock(writer_mutex_);
    mark = std::exchange(untold_, std::nullopt);
  }
  if (!mark) return {};
  return read("telling that everything is on the boards", unmark_call(*mark)).map([](const Rows&) {});
}

Result<std::vector<leaderboards::WriterId>> PostgresLedger::scan_left_behind(
    const std::function<void(const LedgerRow&)>& visit,
    const std::function<void(const leaderboards::AuditEntry&)>& visit_change) {
  const auto rows = read("looking for what others left behind", left_behind_call());
  if (!rows) return fail(rows.error());
  LeftBehind left = left_behind_of(*rows);
  if (left.since) {
    if (const auto scanned = scan_since({*left.since}, visit); !scanned) return fail(scanned.error());
    if (const auto read = audit_since({*left.since}, visit_change); !read) return fail(read.error());
  }
  return std::move(left.writers);
}

Result<void> PostgresLedger::forget_writers(std::span<const leaderboards::WriterId> writers) {
  return read("forgetting who is gone", forget_writers_call(writers)).map([](const Rows&) {});
}

}  // namespace scoreline::postgres
