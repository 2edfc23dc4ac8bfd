#include <cmath>
#include <utility>
#include <vector>

#include "base/decimal.h"
#include "base/limits.h"
#include "http/board_text.h"
#include "http/board_view.h"
#include "http/cursor.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/json_text.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

using leaderboards::Entry;
using leaderboards::Page;
using leaderboards::PlayerId;

constexpr std::size_t kDefaultRadius = 5;

Result<PlayerId> player_param(std::string_view text) { return PlayerId::parse(text); }

struct PlaceView {
  BoardView board;
  leaderboards::Place place;
};

Result<PlaceView> view_place(const Call& call, std::string_view leaderboard, std::string_view season,
                             std::string_view player) {
  if (auto known = call.target.allow_only({}, kEntryParameters); !known) return fail(std::move(known.error()));
  auto board = view_board(call, leaderboard, season);
  if (!board) return fail(std::move(board.error()));
  const auto id = player_param(player);
  if (!id) return fail(id.error());
  auto place = call.context.service.place_of(board->ref(), *id);
  if (!place) return fail(std::move(place.error()));
  return PlaceView{std::move(*board), std::move(*place)};
}

/// Without braces.
void append_place_fields(std::string& out, const leaderboards::Place& place,
                         const leaderboards::Definition& definition) {
  append_entry(out, place.entry, definition);
  out += R"(,"players":)";
  append_number(out, place.players);
  out += R"(,"percentile":)";
  append_scaled(out, std::llround(leaderboards::percentile(place) * 100), 2);
}

void append_place(std::string& out, const leaderboards::Place& place, const leaderboards::Definition& definition) {
  out += '{';
  append_place_fields(out, place, definition);
  out += '}';
}

struct PageView {
  BoardView board;
  Page page;
};

Result<PageView> view_around(const Call& call, std::string_view leaderboard, std::string_view season,
                             std::string_view player) {
  if (auto known = call.target.allow_only({"radius"}, kEntryParameters); !known) return fail(std::move(known.error()));
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
  if (cursor->board != leaderboards::BoardId{board.record->definition.name, board.season, board.period}) {
    return fail(Code::invalid, "belongs to another board", "cursor");
  }
  if (cursor->backwards) return service.range_before(board.ref(), cursor->player, cursor->standing, *limit);
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

Result<Response> read_player(const Call& call) {
  const auto view = view_place(call, call.params[0], call.params[1], call.params[2]);
  if (!view) return fail(view.error());
  std::string out;
  append_place(out, view->place, view->board.definition());
  return json(std::move(out));
}

Result<Response> read_player_places(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  const auto record = call.context.service.catalogue().find(call.params[0]);
  if (!record) return fail(record.error());
  const auto id = player_param(call.params[1]);
  if (!id) return fail(id.error());
  const auto places = call.context.service.places_of(call.params[0], *id);
  if (!places) return fail(places.error());
  std::string out = R"({"playerId":)";
  append_quoted(out, id->text());
  out += R"(,"boards":[)";
  for (const auto& [board, place] : *places) {
    if (&place != &places->front().place) out += ',';
    append_board(out, BoardView{*record, board.season, board.period});
    out += ',';
    append_place_fields(out, place, (*record)->definition);
    out += '}';
  }
  out += "]}";
  return json(std::move(out));
}

Result<Response> read_around(const Call& call) {
  const auto view = view_around(call, call.params[0], call.params[1], call.params[2]);
  if (!view) return fail(view.error());
  return json(entries_page(view->board, view->page));
}

Result<Response> audit_rank(const Call& call) {
  if (auto known = call.target.allow_only({}, kBoardParameters); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto player = player_param(call.params[2]);
  if (!player) return fail(player.error());
  const auto audit = call.context.service.audit_rank(board->ref(), *player);
  if (!audit) return fail(audit.error());
  std::string out;
  append_board(out, *board);
  const auto append = [&](std::string_view key, const std::optional<leaderboards::Place>& place) {
    out += key;
    if (place) {
      append_place(out, *place, board->definition());
    } else {
      out += "null";
    }
  };
  append(R"(,"shown":)", audit->shown);
  append(R"(,"recounted":)", audit->recounted);
  out += audit->agrees() ? R"(,"agrees":true})" : R"(,"agrees":false})";
  return json(std::move(out));
}

Result<Response> read_ranks(const Call& call) {
  if (auto known = call.target.allow_only({"from", "limit", "cursor"}, kEntryParameters); !known) {
    return fail(std::move(known.error()));
  }
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto page = read_range(call, *board);
  if (!page) return fail(page.error());
  std::string out = entries_page(*board, *page);
  out.back() = ',';
  append_cursors(out, *board, *page);
  out += '}';
  return json(std::move(out));
}

Result<Response> read_friends(const Call& call) {
  if (auto known = call.target.allow_only({}, kEntryParameters); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto players = read_players(call);
  if (!players) return fail(players.error());
  const auto friends = call.context.service.friends(board->ref(), *players);
  if (!friends) return fail(friends.error());
  std::string out;
  append_board(out, *board);
  out += R"(,"entries":[)";
  for (const leaderboards::FriendEntry& each : friends->entries) {
    if (&each != friends->entries.data()) out += ',';
    out += R"({"rankAmong":)";
    append_number(out, each.rank_among);
    out += ',';
    append_entry(out, each.entry, board->definition());
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
  return json(article_page(view->board, view->page));
}

}  // namespace scoreline::http
