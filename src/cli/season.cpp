// Opening, listing and closing seasons, and exporting their archives.
#include <fmt/format.h>

#include "base/timestamp.h"
#include "cli/commands.h"

namespace scoreline::cli {
namespace {

constexpr std::chrono::milliseconds kAskAgain{200};

std::string time_json(const std::optional<Timestamp>& at) { return at ? "\"" + format_timestamp(*at) + "\"" : "null"; }

std::string path_of(const SeasonCommand& command) {
  return fmt::format("/v1/leaderboards/{}/seasons", http::percent_encode(command.leaderboard));
}

std::string archive_query(const SeasonCommand& command) {
  std::string query = "?format=" + command.format;
  if (command.top) query += fmt::format("&top={}", *command.top);
  if (command.top_percent) query += fmt::format("&topPercent={}", *command.top_percent);
  return query;
}

}  // namespace

Result<int> run_season(const SeasonCommand& command, Context& context) {
  using Deed = SeasonCommand::Deed;
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  http::ClientRequest request;
  request.target = path_of(command);
  switch (command.deed) {
    case Deed::list: break;
    case Deed::open:
      request.method = http::Method::post;
      request.body = fmt::format(R"({{"id":{},"start":{},"end":{}}})", command.season, time_json(command.start),
                                 time_json(command.end));
      break;
    case Deed::close:
      request.method = http::Method::post;
      request.target += fmt::format("/{}:close", command.season);
      break;
    case Deed::archive: request.target += fmt::format("/{}/archive{}", command.season, archive_query(command)); break;
  }
  auto body = (*answerer)->ask(request);
  // Closed twice is closed once, so asking again is how one learns that it is done.
  while (command.deed == Deed::close && body && body->find(R"("state":"closed")") == std::string::npos) {
    context.wait(kAskAgain);
    body = (*answerer)->ask(request);
  }
  if (!body) return fail(std::move(body).error());
  context.out << *body;
  if (!body->empty() && body->back() != '\n') context.out << '\n';
  return 0;
}

}  // namespace scoreline::cli
