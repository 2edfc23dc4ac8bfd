// Server-sent events of a board (https://html.spec.whatwg.org/multipage/server-sent-events.html).
#include <utility>

#include "base/limits.h"
#include "http/board_text.h"
#include "http/board_view.h"
#include "http/event_hub.h"
#include "http/problem.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

constexpr std::size_t kDefaultTop = 10;

Result<std::shared_ptr<BodyStream>> begin_listening(const Call& call, const std::shared_ptr<AnswerSink>& sink) {
  if (auto known = call.target.allow_only({"top", "player", "period"}); !known) return fail(std::move(known.error()));
  const auto board = view_board(call, call.params[0], call.params[1]);
  if (!board) return fail(board.error());
  const auto season = parse_season(call.params[1]);
  const auto top = call.target.whole_number("top", kDefaultTop, 1, kMaxEntries);
  if (!top) return fail(top.error());
  std::optional<leaderboards::PlayerId> player;
  if (const auto text = call.target.parameter("player")) {
    auto id = leaderboards::PlayerId::parse(*text);
    if (!id) return fail(Code::invalid, std::move(id.error().detail), "player");
    player = *std::move(id);
  }
  return call.context.events.listen({board->record->definition.name.text(), *season, *top,
                                     std::string(call.target.parameter("period").value_or("season"))},
                                    std::move(player), call.request.last_event_id, sink);
}

}  // namespace

void listen_to_board(const Call& call, Responder responder) {
  auto stream = begin_listening(call, responder.sink());
  if (!stream) return responder.send(problem(stream.error()));
  Response response;
  response.content_type = kEventStreamType;
  response.stream = *std::move(stream);
  responder.send(std::move(response));
}

}  // namespace scoreline::http
