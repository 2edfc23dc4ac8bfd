#include "adapters/postgres/ledger_scan.h"

#include <algorithm>

namespace scoreline::postgres {
namespace {

constexpr Statement kBegin{"begin_scan", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"};
// A part may have to read many rows that do not count before it finds one that does; our own deadline holds.
constexpr Statement kNoTimeout{"scan_time", "SELECT set_config('statement_timeout', '0', true)"};
// As the planner guesses: rows per page when last counted, times the pages of today; else by the size of a usual row.
constexpr Statement kEstimate{
    "estimate",
    "SELECT CASE WHEN reltuples > 0 AND relpages > 0 "
    "THEN (reltuples / relpages * (pg_relation_size(oid) / current_setting('block_size')::bigint))::bigint "
    "ELSE pg_relation_size(oid) / 110 END FROM pg_class WHERE oid = 'match_results'::regclass"};
constexpr Statement kAll{"scan",
                         "DECLARE results NO SCROLL CURSOR FOR SELECT leaderboard, season_id, player_id, match_id, "
                         "points, achieved_at, extra FROM match_results AS r WHERE NOT erased AND NOT EXISTS (SELECT "
                         "FROM hidden_players AS h WHERE h.leaderboard = r.leaderboard AND h.player_id = r.player_id)"};
// Rows of transactions that are yet to come: a ledger restored from another server's dump. They were there before.
constexpr Statement kSince{
    "scan_since",
    "DECLARE results NO SCROLL CURSOR FOR SELECT leaderboard, season_id, player_id, match_id, points, achieved_at, "
    "extra FROM match_results AS r WHERE NOT erased AND NOT EXISTS (SELECT FROM hidden_players AS h "
    "WHERE h.leaderboard = r.leaderboard AND h.player_id = r.player_id) AND tx >= $1::bigint "
    "AND tx < pg_snapshot_xmax(pg_current_snapshot())::text::bigint"};
constexpr Statement kFetch{"fetch", "FETCH 4096 FROM results"};
constexpr Statement kCommit{"commit_scan", "COMMIT"};

}  // namespace

leaderboards::LedgerRow ledger_row(const Rows& rows, int row) {
  leaderboards::LedgerRow result;
  result.leaderboard = rows.bytes(row, 0);
  result.season.value = static_cast<std::int32_t>(rows.integer(row, 1));
  result.player = rows.bytes(row, 2);
  result.match_id = rows.uuid(row, 3);
  result.points = rows.integer(row, 4);
  result.achieved_at = rows.time(row, 5);
  result.extra = static_cast<std::uint64_t>(rows.integer(row, 6));
  return result;
}

Attempt<std::uint64_t> LedgerScan::begin(std::optional<Watermark> since) {
  Call declare{since ? &kSince : &kAll, {}};
  if (since) declare.parameters.add(since->tx);
  const Call calls[] = {{&kBegin, {}}, {&kNoTimeout, {}}, {&kEstimate, {}}, std::move(declare)};
  const auto begun = session.run(calls, clock.monotonic() + part_timeout);
  if (!begun) return tl::unexpected<Failure>(begun.error());
  return static_cast<std::uint64_t>((*begun)[2].integer(0, 0));
}

Attempt<void> LedgerScan::run(std::optional<Watermark> since) {
  const auto estimate = begin(since);
  if (!estimate) return tl::unexpected<Failure>(estimate.error());
  const Call fetch{&kFetch, {}};
  const auto ask = [&] { return session.send(std::span(&fetch, 1), clock.monotonic() + part_timeout); };
  leaderboards::ScanProgress done{0, *estimate};
  if (auto asked = ask(); !asked) return asked;
  while (true) {
    const auto part = session.receive(clock.monotonic() + part_timeout);
    if (!part) return tl::unexpected<Failure>(part.error());
    const Rows& rows = part->front();
    if (rows.size() == 0) break;
    if (auto asked = ask(); !asked) return asked;
    for (int row = 0; row < rows.size(); ++row) visit(ledger_row(rows, row));
    done.rows_done += static_cast<std::uint64_t>(rows.size());
    done.rows_total = std::max(done.rows_total, done.rows_done);
    if (progress) progress(done);
  }
  done.rows_total = done.rows_done;
  if (progress) progress(done);
  const auto committed = session.run({&kCommit, {}}, clock.monotonic() + part_timeout);
  return committed ? Attempt<void>{} : tl::unexpected<Failure>(committed.error());
}

}  // namespace scoreline::postgres
