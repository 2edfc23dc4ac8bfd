// Reads by rank and by points: who has a rank, how many rank above some points, who has points in a range, and how the
// points are spread.
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/decimal.h"
#include "base/limits.h"
#include "http/board_text.h"
#include "http/board_view.h"
#include "http/json_text.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

/// In units of the leaderboard; nullopt when it is absent.
Result<std::optional<std::int64_t>> points_param(const Call& call, const BoardView& board, std::string_view name) {
  const auto text = call.target.parameter(name);
  if (!text) return std::optional<std::int64_t>();
  const auto points = parse_decimal(*text).and_then([&](Decimal written) { return to_scaled(written, board.scale()); });
  if (points) return std::optional(*points);
  return fail(points.error().code, points.error().detail, std::string(name));
}

void append_share(std::string& out, std::uint64_t above, std::uint64_t players) {
  const leaderboards::Place place{{0, leaderboards::PlayerId::trusted({}), {}}, players, above};
  append_scaled(out, std::llround(leaderboards::percentile(place) * 100), 2);
}

Result<Response> count_above(const Call& call, const BoardView& board, std::int64_t points) {
  const auto counts = call.context.service.counts_above(board.ref(), std::span(&points, 1));
  if (!counts) return fail(counts.error());
  std::string out;
  append_board(out, board);
  out += R"(,"players":)";
  append_number(out, counts->players);
  out += R"(,"points":)";
  append_scaled(out, points, board.scale());
  out += R"(,"above":)";
  append_number(out, counts->above.front());
  out += R"(,"percentile":)";
  append_share(out, counts->above.front(), counts->players);
  out += '}';
  return json(std::move(out));
}

}  // namespace

Result<Response> read_rank(const Call& call) {
  if (auto known = call.target.allow_only({}, kBoardParameters); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const std::string_view text = call.params[2];
  std::uint64_t rank = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), rank);
  if (error != std::errc{} || rest != text.data() + text.size() || rank < 1 ||
      rank > std::numeric_limits<std::int64_t>::max()) {
    return fail(Code::invalid, "must be a whole number from 1", "rank");
  }
  const auto holder = call.context.service.holder_of(board->ref(), rank);
  if (!holder) return fail(holder.error());
  std::string out;
  append_board(out, *board);
  out += R"(,"players":)";
  append_number(out, holder->players);
  out += R"(,"rank":)";
  append_number(out, rank);
  out += R"(,"entry":)";
  if (holder->entry) {
    out += '{';
    append_entry(out, *holder->entry, board->definition());
    out += '}';
  } else {
    out += "null";
  }
  out += R"(,"pointsToReach":)";
  if (holder->points_to_reach) {
    append_scaled(out, *holder->points_to_reach, board->scale());
  } else {
    out += "null";
  }
  out += '}';
  return json(std::move(out));
}

Result<Response> read_points(const Call& call) {
  if (auto known = call.target.allow_only({"above", "from", "to", "limit"}, kBoardParameters); !known) {
    return fail(std::move(known.error()));
  }
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto above = points_param(call, *board, "above");
  if (!above) return fail(above.error());
  const auto from = points_param(call, *board, "from");
  if (!from) return fail(from.error());
  const auto to = points_param(call, *board, "to");
  if (!to) return fail(to.error());
  const auto limit = call.target.whole_number("limit", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  if (above->has_value() == (from->has_value() || to->has_value())) {
    return fail(Code::invalid, "give either `above`, or `from` and `to`", "above");
  }
  if (*above) return count_above(call, *board, **above);
  const leaderboards::PointsRange points{from->value_or(std::numeric_limits<std::int64_t>::min()),
                                         to->value_or(std::numeric_limits<std::int64_t>::max())};
  const auto found = call.context.service.range_by_points(board->ref(), points, *limit);
  if (!found) return fail(found.error());
  std::string out = entries_page(*board, found->page);
  out.back() = ',';
  out += R"("count":)";
  append_number(out, found->count);
  out += ',';
  append_cursors(out, *board, found->page);
  out += '}';
  return json(std::move(out));
}

Result<Response> read_distribution(const Call& call) {
  if (auto known = call.target.allow_only({"buckets"}, kBoardParameters); !known) {
    return fail(std::move(known.error()));
  }
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto buckets = call.target.whole_number("buckets", 10, 1, leaderboards::kMaxBuckets);
  if (!buckets) return fail(buckets.error());
  const auto distribution = call.context.service.distribution(board->ref(), *buckets);
  if (!distribution) return fail(distribution.error());
  const int scale = board->scale();
  std::string out;
  append_board(out, *board);
  out += R"(,"players":)";
  append_number(out, distribution->players);
  out += R"(,"buckets":[)";
  for (const leaderboards::Bucket& bucket : distribution->buckets) {
    if (&bucket != distribution->buckets.data()) out += ',';
    out += R"({"from":)";
    append_scaled(out, bucket.points.low, scale);
    out += R"(,"to":)";
    append_scaled(out, bucket.points.high, scale);
    out += R"(,"count":)";
    append_number(out, bucket.count);
    out += '}';
  }
  out += R"(],"percentiles":[)";
  for (const leaderboards::PercentileCut& cut : distribution->cuts) {
    if (&cut != distribution->cuts.data()) out += ',';
    out += R"({"percentile":)";
    append_number(out, cut.percent);
    out += R"(,"points":)";
    append_scaled(out, cut.points, scale);
    out += '}';
  }
  out += "]}";
  return json(std::move(out));
}

}  // namespace scoreline::http
