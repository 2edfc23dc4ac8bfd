#include "http/routes.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>

#include "http/queue_routes.h"

namespace scoreline::http {
namespace {

// How a route is answered: at once, later by whoever finishes it, from the index, or by a thread that may wait.
constexpr Route at_once(Method method, std::string_view pattern, std::string_view summary,
                        Result<Response> (*answer)(const Call&)) {
  return {method, pattern, summary, answer};
}
constexpr Route later(Method method, std::string_view pattern, std::string_view summary,
                      void (*start)(const Call&, Responder)) {
  return {method, pattern, summary, nullptr, start};
}
constexpr Route from_index(Method method, std::string_view pattern, std::string_view summary,
                           Result<Response> (*answer)(const Call&),
                           std::optional<Response> (*kept)(const Call&) = nullptr) {
  return {method, pattern, summary, answer, nullptr, true, false, false, kept};
}
constexpr Route waiting(Method method, std::string_view pattern, std::string_view summary,
                        Result<Response> (*answer)(const Call&)) {
  return {method, pattern, summary, answer, nullptr, false, true};
}

constexpr Route scanning(Method method, std::string_view pattern, std::string_view summary,
                         Result<Response> (*answer)(const Call&)) {
  return {method, pattern, summary, answer, nullptr, true, false, true};
}

constexpr Route kBoardRoutes[] = {
    at_once(Method::get, "/v1/leaderboards", "List the leaderboards", list_leaderboards),
    at_once(Method::get, "/v1/leaderboards/{leaderboard}", "Show a leaderboard's definition", get_leaderboard),
    later(Method::put, "/v1/leaderboards/{leaderboard}", "Define a leaderboard", put_leaderboard),
    later(Method::del, "/v1/leaderboards/{leaderboard}", "Drop a leaderboard with all its results", drop_leaderboard),
    later(Method::post, "/v1/leaderboards/{leaderboard}/results", "Submit one result or many", submit_results),
    at_once(Method::get, "/v1/leaderboards/{leaderboard}/seasons", "List the seasons", list_seasons),
    later(Method::post, "/v1/leaderboards/{leaderboard}/seasons", "Open a season", open_season),
    later(Method::post, "/v1/leaderboards/{leaderboard}/seasons/{season}:close", "Close a season", close_season),
    waiting(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/archive", "Export the archive of a season",
            export_archive),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/top", "Read the top of a board", read_top,
               kept_top),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/players/{player}",
               "Read one player's place", read_player),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/players/{player}/around",
               "Read the entries around a player", read_around),
    scanning(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/players/{player}/audit",
             "Count a player's rank again from the ledger", audit_rank),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/ranks", "Read a range of ranks",
               read_ranks),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/ranks/{rank}",
               "Read who has a rank, and what it takes", read_rank),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/points", "Read a board by points",
               read_points),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/distribution",
               "Read how the points are spread", read_distribution),
    from_index(Method::post, "/v1/leaderboards/{leaderboard}/seasons/{season}/players:rank",
               "Read the ranks among friends", read_friends),
    later(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}/events", "Listen to a board", listen_to_board),
    at_once(Method::post, "/v1/leaderboards/{leaderboard}/seasons/{season}:rebuild",
            "Make a board again from the ledger", start_rebuild),
    at_once(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}:rebuild", "Show how far a rebuild is",
            show_rebuild),
    at_once(Method::post, "/v1/leaderboards/{leaderboard}/seasons/{season}:reconcile",
            "Compare a board with the ledger", start_reconcile),
    at_once(Method::get, "/v1/leaderboards/{leaderboard}/seasons/{season}:reconcile", "Show what a reconcile found",
            show_reconcile),
    from_index(Method::get, "/v1/leaderboards/{leaderboard}/players/{player}", "Read a player's places on all boards",
               read_player_places),
    later(Method::del, "/v1/leaderboards/{leaderboard}/players/{player}", "Erase a player", erase_player),
    later(Method::post, "/v1/leaderboards/{leaderboard}/players/{player}:hide", "Hide a player", hide_player),
    later(Method::post, "/v1/leaderboards/{leaderboard}/players/{player}:restore", "Restore a hidden player",
          restore_player),
    at_once(Method::get, "/v1/leaderboards/{leaderboard}/hidden-players", "List the hidden players",
            list_hidden_players),
    later(Method::del, "/v1/leaderboards/{leaderboard}/matches/{match}", "Void a match", void_match),
};

constexpr Route kJobRoutes[] = {
    later(Method::get, "/v1/queues", "List the queues", list_queues),
    later(Method::post, "/v1/queues/{queue}:take", "Take jobs under a lease, and wait for some", take_jobs),
    later(Method::post, "/v1/queues/{queue}:poll", "Take one job and forget it", poll_job),
    later(Method::post, "/v1/queues/{queue}:poll-due", "Take the delayed job that fell due first, and forget it",
          poll_due_job),
    later(Method::post, "/v1/queues/{queue}:ack", "Acknowledge jobs", ack_jobs),
    later(Method::post, "/v1/queues/{queue}:nack", "Give failed jobs back", nack_jobs),
    later(Method::post, "/v1/queues/{queue}:extend", "Extend the leases of jobs", extend_jobs),
    later(Method::post, "/v1/queues/{queue}:release", "Give jobs back unharmed", release_jobs),
    later(Method::get, "/v1/queues/{queue}:peek", "Look at the next job", peek_job),
    later(Method::post, "/v1/queues/{queue}:pause", "Hand out nothing", pause_queue),
    later(Method::post, "/v1/queues/{queue}:resume", "Hand out jobs again", resume_queue),
    later(Method::post, "/v1/queues/{queue}:purge", "Drop all jobs of a state", purge_queue),
    later(Method::post, "/v1/queues/{queue}:retry-dead", "Make all dead jobs ready", retry_dead_jobs),
    later(Method::get, "/v1/queues/{queue}", "Show a queue, what it is set to and what it counts", show_queue),
    later(Method::put, "/v1/queues/{queue}", "Set the options of a queue", put_queue),
    later(Method::post, "/v1/queues/{queue}/jobs", "Enqueue one job or many", enqueue_jobs),
    later(Method::get, "/v1/queues/{queue}/jobs", "List jobs of one state", list_jobs),
    later(Method::get, "/v1/queues/{queue}/jobs/{job}", "Show a job, and where it stands", show_job),
    later(Method::del, "/v1/queues/{queue}/jobs/{job}", "Drop a job", remove_job),
    later(Method::post, "/v1/queues/{queue}/jobs/{job}:ack", "Acknowledge a job", ack_job),
    later(Method::post, "/v1/queues/{queue}/jobs/{job}:nack", "Give a failed job back", nack_job),
    later(Method::post, "/v1/queues/{queue}/jobs/{job}:extend", "Extend the lease of a job", extend_job),
    later(Method::post, "/v1/queues/{queue}/jobs/{job}:release", "Give a job back unharmed", release_job),
    later(Method::post, "/v1/queues/{queue}/jobs/{job}:retry", "Make a dead job ready", retry_dead_job),
    later(Method::get, "/v1/queues/{queue}/schedules", "List the schedules of a queue", list_schedules),
    later(Method::put, "/v1/queues/{queue}/schedules/{schedule}", "Enqueue a job at each time of a cron expression",
          put_schedule),
    later(Method::del, "/v1/queues/{queue}/schedules/{schedule}", "Drop a schedule", drop_schedule),
};

constexpr Route kOtherRoutes[] = {
    from_index(Method::get, "/v1/audit-log", "Read what was done, and by whom", read_audit_log),
    waiting(Method::get, "/v1/dead-letters", "List the messages that could not be taken", list_dead_letters),
    waiting(Method::get, "/v1/dead-letters/{id}", "Show a message that could not be taken", get_dead_letter),
    waiting(Method::post, "/v1/dead-letters:replay", "Take messages in again", replay_dead_letters),
    waiting(Method::post, "/v1/dead-letters:discard", "Discard messages that could not be taken", discard_dead_letters),
    from_index(Method::get, "/seasons/{season}/leaderboard/top", "Read the top of main, as a bare array",
               read_article_top, kept_article_top),
    from_index(Method::get, "/seasons/{season}/leaderboard/players/{player}", "Read one player's place on main",
               read_article_player),
    from_index(Method::get, "/seasons/{season}/leaderboard/players/{player}/around",
               "Read the entries around a player on main, as a bare array", read_article_around),
    at_once(Method::get, "/healthz", "Tell that the process lives", healthz),
    at_once(Method::get, "/readyz", "Tell whether the boards are there", readyz),
    later(Method::get, "/metrics", "Tell what goes on, for Prometheus", metrics),
    at_once(Method::get, "/openapi.yaml", "Serve this document", openapi),
};

template <std::size_t... sizes>
constexpr auto joined(const Route (&... tables)[sizes]) {
  std::array<Route, (sizes + ...)> all{};
  auto to = all.begin();
  ((to = std::copy(std::begin(tables), std::end(tables), to)), ...);
  return all;
}

constexpr auto kRoutes = joined(kBoardRoutes, kJobRoutes, kOtherRoutes);

using Params = std::array<std::string_view, Call::kMaxParams>;

bool fits(std::string_view pattern, std::span<const std::string_view> segments, Params& params) {
  std::size_t param = 0;
  std::size_t next = 0;
  pattern.remove_prefix(1);
  for (;; ++next) {
    if (next == segments.size()) return false;
    const std::size_t slash = pattern.find('/');
    const std::string_view part = pattern.substr(0, slash);
    if (part.front() == '{') {
      const std::string_view suffix = part.substr(part.find('}') + 1);  // of `{season}:rebuild`
      if (segments[next].size() <= suffix.size() || !segments[next].ends_with(suffix)) return false;
      params[param++] = segments[next].substr(0, segments[next].size() - suffix.size());
    } else if (part != segments[next]) {
      return false;
    }
    if (slash == std::string_view::npos) return next + 1 == segments.size();
    pattern.remove_prefix(slash + 1);
  }
}

bool serves(const Route& route, Method method) {
  return route.method == method || (route.method == Method::get && method == Method::head);
}

/// Media types are case-insensitive; parameters such as a charset do not matter: JSON is UTF-8.
bool is_media_type(std::string_view header, std::string_view type) {
  const std::string_view bare = header.substr(0, header.find_first_of("; \t"));
  return std::equal(bare.begin(), bare.end(), type.begin(), type.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? static_cast<char>(a - 'A' + 'a') : a) == b; });
}

}  // namespace

std::span<const Route> routes() { return kRoutes; }

Match match(Method method, const Target& target) {
  Match result;
  for (const Route& route : kRoutes) {
    if (!fits(route.pattern, target.segments(), result.params)) continue;
    if (serves(route, method)) {
      result.route = &route;
      return result;
    }
    if (!result.allow.empty()) result.allow += ", ";
    result.allow += to_string(route.method);
    if (route.method == Method::get) result.allow += ", HEAD";
  }
  return result;
}

Result<BodyType> body_type(const Request& request, bool ndjson_too) {
  if (is_media_type(request.content_type, "application/json")) return BodyType::json;
  if (ndjson_too && is_media_type(request.content_type, "application/x-ndjson")) return BodyType::ndjson;
  return fail(Code::unsupported, ndjson_too ? "Content-Type must be application/json or application/x-ndjson"
                                            : "Content-Type must be application/json");
}

}  // namespace scoreline::http
