#include "postgres/bare_unnest.h"

#include <libpq-fe.h>

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "adapters/postgres/parameters.h"

namespace scoreline::bench {
namespace {

constexpr int kParameters = 6, kBinary = 1;

void check(PGconn* connection, PGresult* result) {
  if (PQresultStatus(result) != PGRES_COMMAND_OK) {
    std::fprintf(stderr, "bench_postgres: %s\n", PQerrorMessage(connection));
    std::exit(1);
  }
  PQclear(result);
}

}  // namespace

void BareUnnest::Finish::operator()(pg_conn* connection) const { PQfinish(connection); }

BareUnnest::BareUnnest(const std::string& url) : connection_(PQconnectdb(url.c_str())) {
  check(connection_.get(),
        PQprepare(connection_.get(), "insert",
                  "INSERT INTO match_results(leaderboard, match_id, player_id, season_id, points, achieved_at, "
                  "by_player) SELECT leaderboard, match_id, player_id, season_id, points, achieved_at, false "
                  "FROM unnest($1::text[], $2::uuid[], $3::text[], $4::integer[], $5::bigint[], $6::timestamptz[]) "
                  "AS result(leaderboard, match_id, player_id, season_id, points, achieved_at) ON CONFLICT DO NOTHING",
                  0, nullptr));
}

void BareUnnest::append(std::span<const leaderboards::MatchResult> batch) {
  using postgres::Array, postgres::Type;
  Array leaderboards(Type::text, batch.size()), matches(Type::uuid, batch.size()), players(Type::text, batch.size()),
      seasons(Type::int4, batch.size()), points(Type::int8, batch.size()), times(Type::timestamptz, batch.size());
  for (const auto& result : batch) {
    leaderboards.add(std::string_view(result.leaderboard.text()));
    matches.add(result.match_id);
    players.add(std::string_view(result.player.text()));
    seasons.add(result.season.value);
    points.add(result.points);
    times.add(result.achieved_at);
  }
  postgres::Parameters parameters;
  for (Array* array : {&leaderboards, &matches, &players, &seasons, &points, &times}) parameters.add(std::move(*array));
  const char* values[kParameters];
  int lengths[kParameters], formats[kParameters];
  for (std::size_t i = 0; i < kParameters; ++i) {
    values[i] = parameters.data(i);
    lengths[i] = parameters.length(i);
    formats[i] = kBinary;
  }
  check(connection_.get(), PQexecPrepared(connection_.get(), "insert", kParameters, values, lengths, formats, kBinary));
}

}  // namespace scoreline::bench
