#include "adapters/postgres/append_batch.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string_view>
#include <tuple>

#include "adapters/postgres/statements.h"
#include "base/error.h"

namespace scoreline::postgres {

using leaderboards::MatchResult;
using leaderboards::Recorded;

namespace {

// Hashed look-ups and not joins: a join might change the order of the rows.
constexpr Statement kInsert{
    "append",
    "INSERT INTO match_results(leaderboard, match_id, player_id, season_id, points, achieved_at, extra, by_player) "
    "SELECT leaderboard, match_id, player_id, season_id, points, achieved_at, extra, "
    "leaderboard IN (SELECT name FROM leaderboards WHERE rule = 'sum') "
    "FROM unnest($1::text[], $2::uuid[], $3::text[], $4::integer[], $5::bigint[], $6::timestamptz[], $7::bigint[]) "
    "AS result(leaderboard, match_id, player_id, season_id, points, achieved_at, extra) "
    "WHERE (leaderboard, season_id) NOT IN (SELECT leaderboard, season_id FROM closings) "
    "AND (SELECT void.match_id FROM voided_matches AS void "
    "WHERE void.leaderboard = result.leaderboard AND void.match_id = result.match_id) IS NULL "
    "ON CONFLICT (leaderboard, match_id, player_id) DO NOTHING RETURNING leaderboard, match_id, player_id"};

// After the lock: a season that is not among these takes results until the transaction ends.
constexpr Statement kClosedSeasons{
    "closed_seasons",
    "SELECT leaderboard, season_id FROM closings "
    "JOIN unnest($1::text[], $2::integer[]) AS asked(leaderboard, season_id) USING (leaderboard, season_id)"};

using Key = std::tuple<std::string_view, Uuid, std::string_view>;

Key key_of(const MatchResult& result) { return {result.leaderboard.text(), result.match_id, result.player.text()}; }

}  // namespace

AppendBatch::AppendBatch(std::span<const MatchResult> batch) : batch_(batch), places_(batch.size()) {
  std::iota(places_.begin(), places_.end(), std::uint32_t{0});
  const auto key_at = [this](std::uint32_t place) { return key_of(batch_[place]); };
  std::sort(places_.begin(), places_.end(), [&](std::uint32_t a, std::uint32_t b) {
    const Key left = key_at(a), right = key_at(b);
    return left != right ? left < right : a < b;
  });
  const auto same = [&](std::uint32_t a, std::uint32_t b) { return key_at(a) == key_at(b); };
  places_.erase(std::unique(places_.begin(), places_.end(), same), places_.end());
}

std::vector<Call> AppendBatch::calls() const {
  std::vector<Call> calls{lock_call(), closed_seasons_call()};
  for (std::size_t first = 0; first < places_.size(); first += kMaxRows) {
    calls.push_back(insert_call(std::span(places_).subspan(first, std::min(kMaxRows, places_.size() - first))));
  }
  return calls;
}

Call AppendBatch::lock_call() const {
  std::vector<std::string> names;
  for (const std::uint32_t place : places_) {
    const std::string& name = batch_[place].leaderboard.text();
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  Call call{&kLockDefinitionsShared, {}};
  call.parameters.add(names);
  return call;
}

Call AppendBatch::closed_seasons_call() const {
  std::set<std::pair<std::string_view, std::int32_t>> seasons;
  for (const MatchResult& result : batch_) seasons.emplace(result.leaderboard.text(), result.season.value);
  Array leaderboards(Type::text, seasons.size()), ids(Type::int4, seasons.size());
  for (const auto& [leaderboard, id] : seasons) {
    leaderboards.add(leaderboard);
    ids.add(id);
  }
  Call call{&kClosedSeasons, {}};
  call.parameters.add(std::move(leaderboards)).add(std::move(ids));
  return call;
}

Call AppendBatch::insert_call(std::span<const std::uint32_t> places) const {
  const std::size_t rows = places.size();
  Array leaderboards(Type::text, rows), matches(Type::uuid, rows), players(Type::text, rows), seasons(Type::int4, rows),
      points(Type::int8, rows), times(Type::timestamptz, rows), extras(Type::int8, rows);
  for (const std::uint32_t place : places) {
    const MatchResult& result = batch_[place];
    leaderboards.add(std::string_view(result.leaderboard.text()));
    matches.add(result.match_id);
    players.add(std::string_view(result.player.text()));
    seasons.add(result.season.value);
    points.add(result.points);
    times.add(result.achieved_at);
    extras.add(static_cast<std::int64_t>(result.extra));
  }
  Call call{&kInsert, {}};
  for (Array* array : {&leaderboards, &matches, &players, &seasons, &points, &times, &extras}) {
    call.parameters.add(std::move(*array));
  }
  return call;
}

std::vector<Recorded> AppendBatch::answers(std::span<const Rows> rows) const {
  std::vector<Recorded> answers(batch_.size(), Recorded::duplicate);
  SCORELINE_CHECK(rows.size() == kRowsFrom + (places_.size() + kMaxRows - 1) / kMaxRows);
  for (std::size_t first = 0; first < places_.size(); first += kMaxRows) {
    answer(std::span(places_).subspan(first, std::min(kMaxRows, places_.size() - first)),
           rows[kRowsFrom + first / kMaxRows], answers);
  }
  if (rows[1].size() > 0) answer_closed(rows[1], answers);
  return answers;
}

void AppendBatch::answer_closed(const Rows& closed, std::vector<Recorded>& to) const {
  std::set<std::pair<std::string_view, std::int64_t>> seasons;
  for (int row = 0; row < closed.size(); ++row) seasons.emplace(closed.bytes(row, 0), closed.integer(row, 1));
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (to[i] == Recorded::recorded) continue;
    if (seasons.contains({batch_[i].leaderboard.text(), batch_[i].season.value})) to[i] = Recorded::season_closed;
  }
}

void AppendBatch::answer(std::span<const std::uint32_t> places, const Rows& rows, std::vector<Recorded>& to) const {
  if (static_cast<std::size_t>(rows.size()) == places.size()) {
    for (const std::uint32_t place : places) to[place] = Recorded::recorded;
    return;
  }
  // What was new comes back in the order it was sent, so the next place is mostly right; SQL does not promise it.
  auto at = places.begin();
  for (int row = 0; row < rows.size(); ++row) {
    const Key key{rows.bytes(row, 0), rows.uuid(row, 1), rows.bytes(row, 2)};
    if (at == places.end() || key_of(batch_[*at]) != key) {
      at = std::lower_bound(places.begin(), places.end(), key,
                            [this](std::uint32_t place, const Key& k) { return key_of(batch_[place]) < k; });
    }
    SCORELINE_CHECK(at != places.end() && key_of(batch_[*at]) == key);
    to[*at++] = Recorded::recorded;
  }
}

}  // namespace scoreline::postgres
