// What the routes share: the table of them all, and what one call of a route sees.
//
// The table is the truth about the HTTP surface: the router, the Allow header and the test of api/openapi.yaml read it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/board_tasks.h"
#include "http/event_hub.h"
#include "http/message.h"
#include "http/page_cache.h"
#include "http/target.h"
#include "ingest/dead_letter_replay.h"
#include "ingest/pipeline.h"
#include "leaderboards/service.h"
#include "queues/job_store.h"

namespace prometheus {
class Registry;
}

namespace scoreline::http {

/// A file that is part of the binary.
struct StaticFile {
  std::string_view path;          ///< `/`, `/dashboard.js`
  std::string_view content_type;  ///< with its charset
  std::string_view bytes;
};

/// What the routes work with.
struct RouteContext {
  leaderboards::Service& service;
  ingest::Pipeline& pipeline;
  PageCache cache;
  BoardTasks tasks;
  EventHub events;
  ingest::DeadLetters* dead_letters = nullptr;            ///< nullptr: none are kept
  std::unique_ptr<ingest::DeadLetterReplay> replay = {};  ///< nullptr as well
  queues::JobStore* jobs = nullptr;                       ///< nullptr: no queues are kept
  prometheus::Registry* registry = nullptr;               ///< nullptr: no metrics but of boards
};

/// One request that found its route.
struct Call {
  static constexpr std::size_t kMaxParams = 3;

  RouteContext& context;
  const Request& request;
  const Target& target;
  /// The `{…}` of the pattern in their order, decoded.
  std::array<std::string_view, kMaxParams> params;
};

struct Route {
  Method method = Method::other;
  std::string_view pattern;  ///< `/v1/leaderboards/{leaderboard}`
  std::string_view summary;  ///< as in the OpenAPI document
  /// One of the two: answers at once, or keeps the duty to answer.
  Result<Response> (*answer)(const Call&) = nullptr;
  void (*start)(const Call&, Responder) = nullptr;
  /// Whether `answer` reads the index, which may be on another machine.
  bool reads_index = false;
  /// Whether `answer` waits for a disk or for the writer, and must not hold up a loop.
  bool waits = false;
  /// Whether `answer` reads the whole ledger.
  bool scans = false;
  /// What `answer` would say, when that can be known without the index.
  std::optional<Response> (*kept)(const Call&) = nullptr;
};

/// Every route but the static files.
std::span<const Route> routes();

/// The route of a request, with its params. Errors: not_found; not_allowed, whose detail is then the Allow header.
struct Match {
  const Route* route = nullptr;
  std::array<std::string_view, Call::kMaxParams> params;
  std::string allow;  ///< without a route: the methods that the path has; empty when it has none
};
Match match(Method method, const Target& target);

// leaderboard_routes.cpp
Result<Response> list_leaderboards(const Call& call);
Result<Response> get_leaderboard(const Call& call);
void put_leaderboard(const Call& call, Responder responder);
void drop_leaderboard(const Call& call, Responder responder);
Result<Response> list_seasons(const Call& call);
void open_season(const Call& call, Responder responder);

// moderation_routes.cpp
void hide_player(const Call& call, Responder responder);
void restore_player(const Call& call, Responder responder);
Result<Response> list_hidden_players(const Call& call);
void erase_player(const Call& call, Responder responder);
void void_match(const Call& call, Responder responder);
Result<Response> read_audit_log(const Call& call);

// archive_routes.cpp
void close_season(const Call& call, Responder responder);
Result<Response> export_archive(const Call& call);

// submit_routes.cpp
void submit_results(const Call& call, Responder responder);

// top_routes.cpp; kept_…: the answer, when it can be known without the index
Result<Response> read_top(const Call& call);
std::optional<Response> kept_top(const Call& call);
Result<Response> read_article_top(const Call& call);
std::optional<Response> kept_article_top(const Call& call);

// read_routes.cpp
Result<Response> read_player(const Call& call);
Result<Response> read_player_places(const Call& call);
Result<Response> read_around(const Call& call);
Result<Response> audit_rank(const Call& call);
Result<Response> read_ranks(const Call& call);
Result<Response> read_rank(const Call& call);
Result<Response> read_points(const Call& call);
Result<Response> read_distribution(const Call& call);
Result<Response> read_friends(const Call& call);
Result<Response> read_article_player(const Call& call);
Result<Response> read_article_around(const Call& call);

// event_routes.cpp
void listen_to_board(const Call& call, Responder responder);

// upkeep_routes.cpp
Result<Response> start_rebuild(const Call& call);
Result<Response> show_rebuild(const Call& call);
Result<Response> start_reconcile(const Call& call);
Result<Response> show_reconcile(const Call& call);

// metrics_routes.cpp
void metrics(const Call& call, Responder responder);

// dead_letter_routes.cpp
Result<Response> list_dead_letters(const Call& call);
Result<Response> get_dead_letter(const Call& call);
Result<Response> replay_dead_letters(const Call& call);
Result<Response> discard_dead_letters(const Call& call);

// health_routes.cpp
Result<Response> healthz(const Call& call);
Result<Response> readyz(const Call& call);
Result<Response> openapi(const Call& call);

/// Errors unless the request's media type is one of these: unsupported. Requiring one keeps web pages of other origins
/// from sending results through a reader's browser (CWE-352).
enum class BodyType : std::uint8_t { json, ndjson };
Result<BodyType> body_type(const Request& request, bool ndjson_too);

}  // namespace scoreline::http
