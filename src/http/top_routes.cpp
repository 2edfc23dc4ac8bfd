#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "http/board_view.h"
#include "http/json_text.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

/// One of the two forms of the top.
struct TopForm {
  std::string_view limit;  ///< the query parameter
  bool chooses_board;      ///< whether kEntryParameters are some too
  char letter;             ///< in the keys of kept pages
  std::string (*render)(const BoardView&, const leaderboards::Page&);
};

constexpr TopForm kTop{"limit", true, 't', entries_page};
constexpr TopForm kArticleTop{"n", false, 'a', article_page};

struct TopQuery {
  BoardView board;
  std::size_t limit;
  std::string key;  ///< of its page; empty when such a page is not kept
};

Result<TopQuery> read_top_query(const Call& call, const TopForm& form, std::string_view leaderboard,
                                std::string_view season) {
  auto known = form.chooses_board ? call.target.allow_only({form.limit}, kEntryParameters)
                                  : call.target.allow_only({form.limit});
  if (!known) return fail(std::move(known.error()));
  auto board = view_board(call, leaderboard, season);
  if (!board) return fail(std::move(board.error()));
  const auto limit = call.target.whole_number(form.limit, kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  TopQuery query{*std::move(board), *limit, {}};
  const auto kept = static_cast<std::size_t>(query.board.record->definition.top);
  if (query.limit > kept || query.board.as_of || query.board.since) return query;
  query.key += form.letter;
  append_number(query.key, query.limit);
  query.key += '/';
  append_number(query.key, query.board.season.value);
  query.key += '/';
  query.key += to_string(query.board.period);
  query.key += '/';
  append_number(query.key, query.board.scale());
  for (const leaderboards::Criterion& criterion : query.board.definition().criteria) {
    query.key += '/';
    query.key += criterion.name;
    for (const std::int64_t number : {std::int64_t{criterion.order == leaderboards::Order::descending},
                                      std::int64_t{criterion.scale}, criterion.min, criterion.max}) {
      query.key += '/';
      append_number(query.key, number);
    }
  }
  query.key += '/';
  query.key += query.board.record->definition.name.text();
  return query;
}

/// The top, from the cache while the board has not changed.
Result<Response> answer_top(const Call& call, const TopForm& form, std::string_view leaderboard,
                            std::string_view season) {
  const auto query = read_top_query(call, form, leaderboard, season);
  if (!query) return fail(query.error());
  const auto& service = call.context.service;
  if (query->key.empty()) {
    return service.top(query->board.ref(), query->limit).map([&](const leaderboards::Page& page) {
      return json(form.render(query->board, page));
    });
  }
  // The version is read before the page, so that a page is never older than the version it is kept under.
  const auto version = service.version(query->board.ref());
  if (!version) return fail(version.error());
  if (const auto page = call.context.cache.find(query->key, *version)) return answer_with(*page, call.request);
  const auto page = service.top(query->board.ref(), query->limit);
  if (!page) return fail(page.error());
  return answer_with(*call.context.cache.put(query->key, *version, form.render(query->board, *page)), call.request);
}

/// The same when that needs no question to the index.
std::optional<Response> kept_top(const Call& call, const TopForm& form, std::string_view leaderboard,
                                 std::string_view season) {
  const auto query = read_top_query(call, form, leaderboard, season);
  if (!query || query->key.empty()) return std::nullopt;
  const auto version = call.context.service.known_version(query->board.ref());
  if (!version) return std::nullopt;
  const auto page = call.context.cache.find(query->key, *version);
  if (!page) return std::nullopt;
  return answer_with(*page, call.request);
}

}  // namespace

Result<Response> read_top(const Call& call) { return answer_top(call, kTop, call.params[0], call.params[1]); }

std::optional<Response> kept_top(const Call& call) { return kept_top(call, kTop, call.params[0], call.params[1]); }

Result<Response> read_article_top(const Call& call) {
  return answer_top(call, kArticleTop, leaderboards::kMainLeaderboard, call.params[0]);
}

std::optional<Response> kept_article_top(const Call& call) {
  return kept_top(call, kArticleTop, leaderboards::kMainLeaderboard, call.params[0]);
}

}  // namespace scoreline::http
