#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/store.h"
#include "http/json_text.h"

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

}  // namespace

Result<int> run_player(const PlayerCommand& command, Context& context) {
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
