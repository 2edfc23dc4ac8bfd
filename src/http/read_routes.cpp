#include <cmath>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/limits.h"
#include "http/board_text.h"
#include "http/cursor.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/json_text.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

using leaderboards::BoardRef;
using leaderboards::Entry;
using leaderboards::LeaderboardRecord;
using leaderboards::Page;
using leaderboards::PlayerId;
using leaderboards::SeasonId;

constexpr std::size_t kDefaultEntries = 100;
constexpr std::size_t kDefaultRadius = 5;

/// A board that a reader asked for, and what is needed to write it.
struct BoardView {
  std::shared_ptr<const LeaderboardRecord> record;
  SeasonId season;

  BoardRef ref() const { return {record->definition.name.text(), season}; }
  int scale() const { return record->definition.scale; }
};

Result<BoardView> view_board(const Call& call, std::string_view leaderboard, std::string_view season) {
  if (auto period = check_period(call.target); !period) return fail(std::move(period.error()));
  const auto parsed = parse_season(season);
  if (!parsed) return fail(parsed.error());
  const auto board = call.context.service.resolve({leaderboard, *parsed});
  if (!board) return fail(board.error());
  auto record = call.context.service.catalogue().find(leaderboard);
  if (!record) return fail(std::move(record.error()));
  return BoardView{std::move(*record), board->id.season};
}

void append_header(std::string& out, SeasonId season, std::uint64_t players) {
  out += R"({"season":)";
  append_number(out, season.value);
  out += R"(,"period":"season","players":)";
  append_number(out, players);
}

Response json(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

std::string top_page(const BoardView& board, const Page& page) {
  std::string out;
  out.reserve(64 + page.entries.size() * 128);
  append_header(out, board.season, page.players);
  out += R"(,"entries":)";
  append_entries(out, page.entries, board.scale());
  out += '}';
  return out;
}

std::string article_top_page(const BoardView& board, const Page& page) {
  std::string out;
  append_article_entries(out, page.entries, board.scale());
  return out;
}

using RenderPage = std::string (*)(const BoardView&, const Page&);

/// The top, from the loop's cache while the board has not changed.
Result<Response> top(const Call& call, const BoardView& board, std::size_t limit, char kind, RenderPage render) {
  const auto& service = call.context.service;
  const bool cached = limit <= static_cast<std::size_t>(board.record->definition.top);
  PageCache& cache = call.context.caches[call.request.loop % call.context.caches.size()];
  std::string key;
  // The version is read before the page, so that a page is never older than the version it is kept under.
  const auto version = service.version(board.ref());
  if (!version) return fail(version.error());
  if (cached) {
    key += kind;
    append_number(key, limit);
    key += '/';
    append_number(key, board.season.value);
    key += '/';
    append_number(key, board.scale());
    key += '/';
    key += board.record->definition.name.text();
    if (const CachedPage* page = cache.find(key, *version)) return answer_with(*page, call.request);
  }
  const auto page = service.top(board.ref(), limit);
  if (!page) return fail(page.error());
  if (!cached) return json(render(board, *page));
  return answer_with(cache.put(key, *version, render(board, *page)), call.request);
}

Result<PlayerId> player_param(std::string_view text) { return PlayerId::parse(text); }

struct PlaceView {
  BoardView board;
  leaderboards::Place place;
};

Result<PlaceView> view_place(const Call& call, std::string_view leaderboard, std::string_view season,
                             std::string_view player) {
  if (auto known = call.target.allow_only({"period"}); !known) return fail(std::move(known.error()));
  auto board = view_board(call, leaderboard, season);
  if (!board) return fail(std::move(board.error()));
  const auto id = player_param(player);
  if (!id) return fail(id.error());
  auto place = call.context.service.place_of(board->ref(), *id);
  if (!place) return fail(std::move(place.error()));
  return PlaceView{std::move(*board), std::move(*place)};
}

struct PageView {
  BoardView board;
  Page page;
};

Result<PageView> view_around(const Call& call, std::string_view leaderboard, std::string_view season,
                             std::string_view player) {
  if (auto known = call.target.allow_only({"radius", "period"}); !known) return fail(std::move(known.error()));
  auto board = view_board(call, leaderboard, season);
  if (!board) return fail(std::move(board.error()));
  const auto id = player_param(player);
  if (!id) return fail(id.error());
  const auto radius = call.target.whole_number("radius", kDefaultRadius, 0, kMaxRadius);
  if (!radius) return fail(radius.error());
  auto page = call.context.service.around(board->ref(), *id, *radius);
  if (!page) return fail(std::move(page.error()));
  return PageView{std::move(*board), std::move(*page)};
}

Result<Page> read_range(const Call& call, const BoardView& board) {
  const auto& service = call.context.service;
  const auto limit = call.target.whole_number("limit", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  const auto text = call.target.parameter("cursor");
  if (!text) {
    const auto from = call.target.whole_number("from", 1, 1, std::numeric_limits<std::int64_t>::max());
    if (!from) return fail(from.error());
    return service.range(board.ref(), *from, *limit);
  }
  if (call.target.parameter("from")) return fail(Code::invalid, "give either `from` or `cursor`", "from");
  const auto cursor = decode_cursor(*text);
  if (!cursor) return fail(cursor.error());
  if (cursor->board.leaderboard != board.record->definition.name || cursor->board.season != board.season) {
    return fail(Code::invalid, "belongs to another board", "cursor");
  }
  return service.range_after(board.ref(), cursor->player, cursor->standing, *limit);
}

Result<std::vector<PlayerId>> read_players(const Call& call) {
  if (auto type = body_type(call.request, false); !type) return fail(std::move(type.error()));
  const auto document = JsonDocument::parse(call.request.body);
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  if (root.kind() != JsonKind::object) return fail(Code::invalid, "the body must be an object with playerIds");
  std::vector<PlayerId> players;
  std::optional<Error> error;
  root.each([&](JsonValue member) {
    if (error) return;
    if (member.key() != "playerIds") {
      error = unknown_field(member.key(), "playerIds");
    } else if (member.kind() != JsonKind::array) {
      error = Error{Code::invalid, "must be an array of ids", "playerIds", {}};
    } else if (member.size() > kMaxEntries) {
      error = Error{Code::too_many, "may hold " + std::to_string(kMaxEntries) + " ids", "playerIds", {}};
    } else {
      member.each([&](JsonValue value) {
        if (error) return;
        const auto text = read_player_id(value, "playerIds");
        auto id = text ? PlayerId::parse(*text) : fail(text.error());
        if (id) {
          players.push_back(std::move(*id));
        } else {
          error = std::move(id.error());
          error->field = "playerIds";
        }
      });
    }
  });
  if (error) return fail(std::move(*error));
  if (players.empty()) return fail(missing_field("playerIds", "1 to " + std::to_string(kMaxEntries) + " ids"));
  return players;
}

}  // namespace

Result<Response> read_top(const Call& call) {
  if (auto known = call.target.allow_only({"limit", "period"}); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto limit = call.target.whole_number("limit", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  return top(call, *board, *limit, 't', top_page);
}

Result<Response> read_player(const Call& call) {
  const auto view = view_place(call, call.params[0], call.params[1], call.params[2]);
  if (!view) return fail(view.error());
  std::string out = "{";
  append_entry(out, view->place.entry, view->board.scale());
  out += R"(,"players":)";
  append_number(out, view->place.players);
  out += R"(,"percentile":)";
  append_scaled(out, std::llround(leaderboards::percentile(view->place) * 100), 2);
  out += '}';
  return json(std::move(out));
}

Result<Response> read_around(const Call& call) {
  const auto view = view_around(call, call.params[0], call.params[1], call.params[2]);
  if (!view) return fail(view.error());
  return json(top_page(view->board, view->page));
}

Result<Response> read_ranks(const Call& call) {
  if (auto known = call.target.allow_only({"from", "limit", "cursor", "period"}); !known) {
    return fail(std::move(known.error()));
  }
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto page = read_range(call, *board);
  if (!page) return fail(page.error());
  std::string out = top_page(*board, *page);
  out.back() = ',';
  out += R"("next":)";
  if (page->entries.empty() || page->entries.back().rank >= page->players) {
    out += "null}";
  } else {
    const Entry& last = page->entries.back();
    out += '"';
    out += encode_cursor({{board->record->definition.name, board->season}, last.player, last.standing});
    out += "\"}";
  }
  return json(std::move(out));
}

Result<Response> read_friends(const Call& call) {
  if (auto known = call.target.allow_only({"period"}); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto players = read_players(call);
  if (!players) return fail(players.error());
  const auto friends = call.context.service.friends(board->ref(), *players);
  if (!friends) return fail(friends.error());
  std::string out = R"({"season":)";
  append_number(out, board->season.value);
  out += R"(,"period":"season","entries":[)";
  for (const leaderboards::FriendEntry& each : friends->entries) {
    if (&each != friends->entries.data()) out += ',';
    out += R"({"rankAmong":)";
    append_number(out, each.rank_among);
    out += ',';
    append_entry(out, each.entry, board->scale());
    out += '}';
  }
  out += R"(],"absent":[)";
  for (const PlayerId& each : friends->absent) {
    if (&each != friends->absent.data()) out += ',';
    append_quoted(out, each.text());
  }
  out += "]}";
  return json(std::move(out));
}

Result<Response> read_article_top(const Call& call) {
  if (auto known = call.target.allow_only({"n"}); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, leaderboards::kMainLeaderboard, call.params[0]);
  if (!board) return fail(board.error());
  const auto limit = call.target.whole_number("n", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  return top(call, *board, *limit, 'a', article_top_page);
}

Result<Response> read_article_player(const Call& call) {
  const auto view = view_place(call, leaderboards::kMainLeaderboard, call.params[0], call.params[1]);
  if (!view) return fail(view.error());
  std::string out;
  append_article_entry(out, view->place.entry, view->board.scale());
  return json(std::move(out));
}

Result<Response> read_article_around(const Call& call) {
  const auto view = view_around(call, leaderboards::kMainLeaderboard, call.params[0], call.params[1]);
  if (!view) return fail(view.error());
  return json(article_top_page(view->board, view->page));
}

}  // namespace scoreline::http
