#include <fmt/format.h>

#include <utility>

#include "base/uuid.h"
#include "cli/commands.h"
#include "cli/json_members.h"
#include "cli/store.h"
#include "http/json_document.h"
#include "http/json_text.h"
#include "leaderboards/values.h"

namespace scoreline::cli {
namespace {

std::string json_of(const ShownAuditEntry& entry) {
  std::string out = fmt::format(R"({{"id":{},"at":"{}","action":"{}","about":)", entry.id, entry.at, entry.action);
  http::append_quoted(out, entry.about);
  out += R"(,"by":)";
  http::append_quoted(out, entry.by);
  out += R"(,"detail":)";
  http::append_quoted(out, entry.detail);
  return out + "}\n";
}

using http::JsonKind;
using http::JsonValue;

/// `rank 7, 120 points`, or `nowhere`.
std::string place_text(JsonValue change, std::string_view side) {
  std::string text = "nowhere";
  change.each([&](JsonValue each) {
    if (each.key() != side || each.kind() != JsonKind::object) return;
    text = fmt::format("rank {}, {} points", member(each, "rank"), member(each, "points"));
  });
  return text;
}

Result<std::string> preview_text(const std::string& body) {
  const auto document = http::JsonDocument::parse(body);
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  std::string out = fmt::format("results that would stop counting: {}\n", member(root, "results"));
  if (const std::string archives = member(root, "archives"); archives != "0") {
    out += fmt::format("archives that would lose the name: {}\n", archives);
  }
  each_of(root, "boards", [&](JsonValue board) {
    out += fmt::format("season {}, {}: {} players, then {}; of the others {} move up, {} down\n",
                       member(board, "season"), member(board, "period"), member(board, "players"),
                       member(board, "playersAfter"), member(board, "movingUp"), member(board, "movingDown"));
    each_of(board, "changes", [&](JsonValue change) {
      out += fmt::format("  {}: {}, then {}\n", member(change, "playerId"), place_text(change, "before"),
                         place_text(change, "after"));
    });
  });
  return out + "nothing was changed\n";
}

std::string leaderboard_path(const std::string& name) { return "/v1/leaderboards/" + http::percent_encode(name); }

std::string reason_json(const std::string& reason) {
  std::string body = R"({"reason":)";
  http::append_quoted(body, reason);
  return body + '}';
}

Result<int> show_preview(http::ClientRequest request, Context& context) {
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  request.target += "?preview=true";
  const auto body = (*answerer)->ask(request);
  if (!body) return fail(body.error());
  const auto text = context.json ? Result<std::string>(*body + '\n') : preview_text(*body);
  if (!text) return fail(text.error());
  context.out << *text;
  return 0;
}

}  // namespace

Result<int> run_match(const MatchCommand& command, Context& context) {
  if (const auto id = parse_uuid(command.match); !id) return fail(Code::invalid, id.error().detail, "matchId");
  http::ClientRequest request;
  request.method = http::Method::del;
  request.target = leaderboard_path(command.leaderboard) + "/matches/" + http::percent_encode(command.match);
  request.body = reason_json(command.reason);
  if (command.preview) return show_preview(std::move(request), context);
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  const auto body = (*answerer)->ask(request);
  if (!body) return fail(body.error());
  const auto document = http::JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  context.out << (context.json ? *body + '\n'
                               : fmt::format("{}: void; results that stopped counting: {}\n", command.match,
                                             member(document->root(), "voidedResults")));
  return 0;
}

Result<int> run_player(const PlayerCommand& command, Context& context) {
  if (command.preview) {
    if (const auto id = leaderboards::PlayerId::parse(command.player); !id) return fail(id.error());
    const bool hide = command.deed == PlayerCommand::Deed::hide;
    http::ClientRequest request;
    request.method = hide ? http::Method::post : http::Method::del;
    request.target = leaderboard_path(command.leaderboard) + "/players/" + http::percent_encode(command.player);
    if (hide) request.target += ":hide";
    request.body = reason_json(command.reason);
    return show_preview(std::move(request), context);
  }
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  const auto done = (*store)->moderate(command);
  if (!done) return fail(done.error());
  if (context.json) {
    std::string out = R"({"playerId":)";
    http::append_quoted(out, command.player);
    out += R"(,"done":)";
    http::append_quoted(out, *done);
    context.out << out << "}\n";
  } else {
    context.out << command.player << ": " << *done << '\n';
  }
  return 0;
}

Result<int> run_audit_log(const AuditLogCommand& command, Context& context) {
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  const auto entries = (*store)->audit_log(command.after, command.limit);
  if (!entries) return fail(entries.error());
  for (const ShownAuditEntry& entry : *entries) {
    if (context.json) {
      context.out << json_of(entry);
    } else {
      context.out << fmt::format("{:>6}  {}  {}  {}  by {}{}{}\n", entry.id, entry.at, entry.action, entry.about,
                                 entry.by, entry.detail.empty() ? "" : ": ", entry.detail);
    }
  }
  return 0;
}

}  // namespace scoreline::cli
