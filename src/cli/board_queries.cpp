// Reads of a board that is not one player or the top: by points, by cursor, and how the points are spread.
#include <fmt/format.h>

#include <algorithm>

#include "cli/board_text.h"
#include "cli/commands.h"
#include "cli/server_store.h"
#include "http/json_document.h"

namespace scoreline::cli {
namespace {

using http::JsonDocument;
using http::JsonKind;
using http::JsonValue;

/// `path` behind the board's own.
Result<std::string> ask_board(Context& context, const BoardChoice& board, const std::string& path) {
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  http::ClientRequest request;
  request.target = path_of(board) + path + query_of(board);
  return (*answerer)->ask(request);
}

std::string member(JsonValue object, std::string_view key) {
  std::string text;
  object.each([&](JsonValue each) {
    if (each.key() == key && each.kind() != JsonKind::null) text = each.text();
  });
  return text;
}

template <typename Visit>
void each_of(JsonValue object, std::string_view key, Visit visit) {
  object.each([&](JsonValue member_of) {
    if (member_of.key() == key && member_of.kind() == JsonKind::array) member_of.each(visit);
  });
}

std::string cursors(JsonValue page) {
  std::string text;
  for (const char* const key : {"previous", "next"}) {
    if (const std::string cursor = member(page, key); !cursor.empty()) text += fmt::format("{}: {}\n", key, cursor);
  }
  return text;
}

Result<int> show_page(Context& context, const Result<std::string>& body) {
  if (!body) return fail(body.error());
  if (context.json) {
    context.out << *body << '\n';
    return 0;
  }
  const auto board = read_board(*body);
  if (!board) return fail(board.error());
  context.out << board_table(*board) << cursors(JsonDocument::parse(*body)->root());
  return 0;
}

}  // namespace

Result<int> run_ranks(const RanksCommand& command, Context& context) {
  std::string query = fmt::format("/ranks?limit={}", command.limit);
  query += command.cursor ? "&cursor=" + http::percent_encode(*command.cursor) : fmt::format("&from={}", command.from);
  return show_page(context, ask_board(context, command.board, query));
}

Result<int> run_points(const PointsCommand& command, Context& context) {
  std::string query = "/points?";
  if (command.above) {
    query += "above=" + http::percent_encode(*command.above);
  } else {
    query += fmt::format("limit={}", command.limit);
    if (command.from) query += "&from=" + http::percent_encode(*command.from);
    if (command.to) query += "&to=" + http::percent_encode(*command.to);
  }
  const auto body = ask_board(context, command.board, query);
  if (!command.above || !body || context.json) return show_page(context, body);
  const auto document = JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  context.out << fmt::format("{} of {} players have better points than {}\n", member(root, "above"),
                             member(root, "players"), member(root, "points"));
  return 0;
}

Result<int> run_distribution(const DistributionCommand& command, Context& context) {
  const auto body = ask_board(context, command.board, fmt::format("/distribution?buckets={}", command.buckets));
  if (!body) return fail(body.error());
  if (context.json) {
    context.out << *body << '\n';
    return 0;
  }
  const auto document = JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  context.out << fmt::format("{:>20}  {:>20}  {:>10}\n", "from", "to", "players");
  each_of(root, "buckets", [&](JsonValue bucket) {
    context.out << fmt::format("{:>20}  {:>20}  {:>10}\n", member(bucket, "from"), member(bucket, "to"),
                               member(bucket, "count"));
  });
  each_of(root, "percentiles", [&](JsonValue cut) {
    context.out << fmt::format("percentile {:>2}: {} points\n", member(cut, "percentile"), member(cut, "points"));
  });
  context.out << fmt::format("season {}, {} players\n", member(root, "season"), member(root, "players"));
  return 0;
}

}  // namespace scoreline::cli
