// What stops counting and counts again, and the log of it.
#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/timestamp.h"
#include "base/uuid.h"
#include "http/board_view.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/json_text.h"
#include "http/preview_json.h"
#include "http/problem.h"
#include "http/routes.h"
#include "http/writer_change.h"

namespace scoreline::http {
namespace {

using leaderboards::AskedBy;
using leaderboards::AuditId;
using leaderboards::LeaderboardName;
using leaderboards::Ledger;
using leaderboards::PlayerId;
using leaderboards::StoredAuditEntry;

/// `{"reason":…}`, or no body at all.
Result<std::string> read_reason(const Request& request) {
  if (request.body.empty()) return std::string();
  if (auto type = body_type(request, false); !type) return fail(std::move(type.error()));
  const auto document = JsonDocument::parse(request.body);
  if (!document) return fail(document.error());
  if (document->root().kind() != JsonKind::object) return fail(Code::unreadable, "the body must be a JSON object");
  std::string reason;
  std::optional<Error> error;
  document->root().each([&](JsonValue member) {
    if (error) return;
    if (member.key() != "reason") {
      error = unknown_field(member.key(), "reason");
    } else if (const auto text = read_string(member); !text) {
      error = text.error();
    } else {
      reason = *text;
    }
  });
  if (error) return fail(*std::move(error));
  if (reason.size() > kMaxReasonBytes) return fail(Code::invalid, "must be at most 1000 bytes", "reason");
  if (reason.find('\0') != std::string::npos) return fail(Code::invalid, "must hold no NUL character", "reason");
  return reason;
}

struct PlayerCall {
  LeaderboardName leaderboard;
  PlayerId player;
  AskedBy by;
};

Result<PlayerCall> read_player_call(const Call& call) {
  if (const auto record = call.context.service.catalogue().find(call.params[0]); !record) return fail(record.error());
  auto player = PlayerId::parse(call.params[1]);
  if (!player) return fail(std::move(player.error()));
  auto reason = read_reason(call.request);
  if (!reason) return fail(std::move(reason.error()));
  return PlayerCall{
      LeaderboardName::trusted(std::string(call.params[0])), *std::move(player), {.reason = *std::move(reason)}};
}

Result<bool> read_flag(const Call& call, std::string_view name) {
  const auto text = call.target.parameter(name).value_or("false");
  if (text != "true" && text != "false") return fail(Code::invalid, "must be true or false", std::string(name));
  return text == "true";
}

/// Told on the writer, as the change would be made: between two commits.
template <typename Whom>
void preview(const Call& call, Responder responder, LeaderboardName leaderboard, Whom whom) {
  change_on_writer(call, std::move(responder),
                   [leaderboard = std::move(leaderboard),
                    whom = std::move(whom)](leaderboards::Service& service) -> Result<Response> {
                     const auto record = service.catalogue().find(leaderboard.text());
                     if (!record) return fail(record.error());
                     const auto told = service.preview_without(leaderboard, whom);
                     if (!told) return fail(told.error());
                     return json(preview_json(*told, (*record)->definition));
                   });
}

using ChangePlayer = Result<bool> (leaderboards::Service::*)(const LeaderboardName&, const PlayerId&, const AskedBy&);

/// `{"playerId":"alice","hidden":true,"changed":true}`
void change_player(const Call& call, Responder responder, ChangePlayer how, bool hidden) {
  auto asked = read_player_call(call);
  if (!asked) return responder.send(problem(asked.error()));
  change_on_writer(call, std::move(responder),
                   [asked = *std::move(asked), how, hidden](leaderboards::Service& service) -> Result<Response> {
                     const auto changed = (service.*how)(asked.leaderboard, asked.player, asked.by);
                     if (!changed) return fail(changed.error());
                     std::string out = R"({"playerId":)";
                     append_quoted(out, asked.player.text());
                     out += hidden ? R"(,"hidden":true)" : R"(,"hidden":false)";
                     out += *changed ? R"(,"changed":true})" : R"(,"changed":false})";
                     return json(std::move(out));
                   });
}

void append_text(std::string& out, std::string_view key, std::string_view text) {
  out += ",\"";
  out += key;
  out += "\":";
  append_quoted(out, text);
}

void append_audit_entry(std::string& out, const StoredAuditEntry& stored) {
  const auto& [action, leaderboard, season, player, match, note] = stored.entry;
  out += R"({"id":)";
  append_number(out, stored.id);
  append_text(out, "at", format_timestamp(note.at));
  append_text(out, "action", to_string(action));
  append_text(out, "leaderboard", leaderboard.text());
  if (season) {
    out += R"(,"seasonId":)";
    append_number(out, season->value);
  }
  if (player) append_text(out, "playerId", player->text());
  if (match) append_text(out, "matchId", format_uuid(*match));
  append_text(out, "by", note.by);
  if (!note.detail.empty()) append_text(out, "detail", note.detail);
  out += '}';
}

}  // namespace

void hide_player(const Call& call, Responder responder) {
  if (auto known = call.target.allow_only({"preview"}); !known) return responder.send(problem(known.error()));
  const auto only_told = read_flag(call, "preview");
  if (!only_told) return responder.send(problem(only_told.error()));
  if (*only_told) {
    auto asked = read_player_call(call);
    if (!asked) return responder.send(problem(asked.error()));
    return preview(call, std::move(responder), std::move(asked->leaderboard), std::move(asked->player));
  }
  change_player(call, std::move(responder), &leaderboards::Service::hide_player, true);
}

void restore_player(const Call& call, Responder responder) {
  if (auto known = call.target.allow_only({}); !known) return responder.send(problem(known.error()));
  change_player(call, std::move(responder), &leaderboards::Service::restore_player, false);
}

Result<Response> list_hidden_players(const Call& call) {
  if (auto known = call.target.allow_only({"after", "limit"}); !known) return fail(std::move(known.error()));
  const auto limit = call.target.whole_number("limit", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  const auto record = call.context.service.catalogue().find(call.params[0]);
  if (!record) return fail(record.error());
  const auto& hidden = (*record)->hidden;
  const std::string after(call.target.parameter("after").value_or(""));
  auto at = std::find_if(hidden.begin(), hidden.end(), [&](const auto& each) { return each.player.text() > after; });
  std::string out = R"({"players":)";
  append_number(out, hidden.size());
  out += R"(,"hiddenPlayers":[)";
  std::size_t shown = 0;
  for (; at != hidden.end() && shown < *limit; ++at, ++shown) {
    if (shown > 0) out += ',';
    out += R"({"playerId":)";
    append_quoted(out, at->player.text());
    append_text(out, "hiddenAt", format_timestamp(at->hidden_at));
    if (!at->reason.empty()) append_text(out, "reason", at->reason);
    out += '}';
  }
  out += ']';
  if (at != hidden.end() && shown > 0) append_text(out, "next", std::prev(at)->player.text());
  return json(out + '}');
}

void erase_player(const Call& call, Responder responder) {
  if (auto known = call.target.allow_only({"ledger", "preview"}); !known) return responder.send(problem(known.error()));
  auto asked = read_player_call(call);
  if (!asked) return responder.send(problem(asked.error()));
  const auto ledger = read_flag(call, "ledger");
  if (!ledger) return responder.send(problem(ledger.error()));
  const auto only_told = read_flag(call, "preview");
  if (!only_told) return responder.send(problem(only_told.error()));
  if (*only_told) {
    return preview(call, std::move(responder), std::move(asked->leaderboard), std::move(asked->player));
  }
  const auto mode = *ledger ? Ledger::Erase::from_ledger : Ledger::Erase::from_boards;
  change_on_writer(call, std::move(responder),
                   [asked = *std::move(asked), mode](leaderboards::Service& service) -> Result<Response> {
                     const auto erased = service.erase_player(asked.leaderboard, asked.player, mode, asked.by);
                     if (!erased) return fail(erased.error());
                     std::string out = R"({"erasedResults":)";
                     append_number(out, *erased);
                     return json(out + '}');
                   });
}

void void_match(const Call& call, Responder responder) {
  if (auto known = call.target.allow_only({"preview"}); !known) return responder.send(problem(known.error()));
  const auto record = call.context.service.catalogue().find(call.params[0]);
  if (!record) return responder.send(problem(record.error()));
  auto match_id = parse_uuid(call.params[1]);
  if (!match_id) {
    match_id.error().field = "matchId";
    return responder.send(problem(match_id.error()));
  }
  auto reason = read_reason(call.request);
  if (!reason) return responder.send(problem(reason.error()));
  const auto only_told = read_flag(call, "preview");
  if (!only_told) return responder.send(problem(only_told.error()));
  if (*only_told) return preview(call, std::move(responder), (*record)->definition.name, *match_id);
  change_on_writer(call, std::move(responder),
                   [name = (*record)->definition.name, match_id = *match_id,
                    by = AskedBy{.reason = *std::move(reason)}](leaderboards::Service& service) -> Result<Response> {
                     const auto stopped = service.void_match(name, match_id, by);
                     if (!stopped) return fail(stopped.error());
                     std::string out = R"({"voidedResults":)";
                     append_number(out, *stopped);
                     return json(out + '}');
                   });
}

Result<Response> read_audit_log(const Call& call) {
  if (auto known = call.target.allow_only({"after", "limit"}); !known) return fail(std::move(known.error()));
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<AuditId>::max());
  const auto after = call.target.whole_number("after", 0, 0, kMost);
  if (!after) return fail(after.error());
  const auto limit = call.target.whole_number("limit", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  const auto page = call.context.service.audit_log(static_cast<AuditId>(*after), *limit);
  if (!page) return fail(page.error());
  std::string out = R"({"entries":[)";
  for (const StoredAuditEntry& stored : *page) {
    if (&stored != page->data()) out += ',';
    append_audit_entry(out, stored);
  }
  out += ']';
  if (page->size() == *limit) {
    out += R"(,"next":)";
    append_number(out, page->back().id);
  }
  return json(out + '}');
}

}  // namespace scoreline::http
