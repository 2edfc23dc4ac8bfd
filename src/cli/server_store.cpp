#include "cli/server_store.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "base/limits.h"
#include "cli/result_text.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/json_text.h"
#include "leaderboards/values.h"

namespace scoreline::cli {
namespace {

/// How often a server is asked how far it is.
constexpr std::chrono::milliseconds kAskAgain{200};

using http::JsonDocument;
using http::JsonKind;
using http::JsonValue;

/// The member's text; empty when it is absent.
std::string_view text_of(JsonValue object, std::string_view key) {
  std::string_view text;
  if (object.kind() != JsonKind::object) return text;
  object.each([&](JsonValue member) {
    if (member.key() == key) text = member.text();
  });
  return text;
}

template <typename Number>
Number number_of(JsonValue object, std::string_view key) {
  const std::string_view text = text_of(object, key);
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

template <typename Visit>
void each_of(JsonValue object, std::string_view key, Visit visit) {
  if (object.kind() != JsonKind::object) return;
  object.each([&](JsonValue member) {
    if (member.key() == key && member.kind() == JsonKind::array) member.each(visit);
  });
}

/// The code whose name an answer carries; `internal` for one that this version does not know.
Code code_of(std::string_view name) { return parse_code(name).value_or(Code::internal); }

Error not_scoreline() { return {Code::unreadable, "the answer is not one of Scoreline's", "server", std::nullopt}; }

}  // namespace

Error problem_of(const http::ClientResponse& response) {
  Error error{Code::internal, fmt::format("the server answered {}", response.status), "server", std::nullopt};
  if (const auto document = JsonDocument::parse(response.body)) {
    const JsonValue root = document->root();
    if (const auto name = text_of(root, "code"); !name.empty()) {
      error.code = code_of(name);
      error.detail = text_of(root, "detail");
      error.field = text_of(root, "field");
    }
  }
  if (error.code == Code::internal && response.status == 503) error.code = Code::not_ready;  // a proxy's own
  const std::string_view after = response.header("Retry-After");
  std::int64_t seconds = 0;
  if (std::from_chars(after.data(), after.data() + after.size(), seconds).ec == std::errc{} && seconds >= 0) {
    error.retry_after = std::chrono::seconds{std::min<std::int64_t>(seconds, 3'600)};
  }
  return error;
}

std::string path_of(const BoardChoice& board) {
  return fmt::format("/v1/leaderboards/{}/seasons/{}", http::percent_encode(board.leaderboard),
                     board.season ? std::to_string(*board.season) : "current");
}

std::string query_of(const BoardChoice& board) {
  std::string query;
  if (board.as_of) query += "&asOf=" + format_timestamp(*board.as_of);
  if (!board.period.empty()) query += "&period=" + http::percent_encode(board.period);
  return query;
}

namespace {

std::vector<ingest::ShownCriterion> read_criteria(JsonValue entry) {
  std::vector<ingest::ShownCriterion> criteria;
  entry.each([&](JsonValue member) {
    if (member.key() != "criteria" || member.kind() != JsonKind::object) return;
    member.each([&](JsonValue each) { criteria.push_back({std::string(each.key()), std::string(each.text())}); });
  });
  return criteria;
}

ShownEntry read_entry(JsonValue entry) {
  return {number_of<std::uint64_t>(entry, "rank"), std::string(text_of(entry, "playerId")),
          std::string(text_of(entry, "points")), std::string(text_of(entry, "achievedAt")), read_criteria(entry)};
}

}  // namespace

Result<ShownBoard> read_board(const std::string& body) {
  const auto document = JsonDocument::parse(body);
  if (!document) return fail(not_scoreline());
  const JsonValue root = document->root();
  if (text_of(root, "season").empty() || text_of(root, "players").empty()) return fail(not_scoreline());
  ShownBoard board{number_of<std::int64_t>(root, "season"), number_of<std::uint64_t>(root, "players"), {}, {}};
  each_of(root, "entries", [&](JsonValue entry) { board.entries.push_back(read_entry(entry)); });
  return board;
}

namespace {

ShownSum read_sum(JsonValue sum) {
  return {number_of<std::uint64_t>(sum, "players"), std::string(text_of(sum, "checksum"))};
}

/// Empty for null.
std::string read_standing(JsonValue standing) {
  if (standing.kind() != JsonKind::object) return {};
  std::string text(text_of(standing, "points"));
  for (const auto& [name, value] : read_criteria(standing)) text += ", " + name + " " + value;
  return text.append(" at ").append(text_of(standing, "achievedAt"));
}

ShownDifference read_difference(JsonValue each) {
  ShownDifference difference{std::string(text_of(each, "playerId")), {}, {}};
  each.each([&](JsonValue member) {
    if (member.key() == "ledger") difference.ledger = read_standing(member);
    if (member.key() == "index") difference.index = read_standing(member);
  });
  return difference;
}

}  // namespace

Result<std::string> ask(http::Client& client, const http::ClientRequest& request) {
  auto response = client.send(request);
  if (!response) return fail(std::move(response.error()));
  if (response->status / 100 != 2) return fail(problem_of(*response));
  return std::move(response->body);
}

Result<BatchOutcome> ServerStore::submit(const std::vector<ingest::Submission>& batch) {
  http::ClientRequest request;
  request.method = http::Method::post;
  request.target = fmt::format("/v1/leaderboards/{}/results", http::percent_encode(batch.front().leaderboard));
  request.body = R"({"results":[)";
  for (const auto& result : batch) {
    if (&result != batch.data()) request.body.push_back(',');
    append_result(request.body, result);
  }
  request.body.append("]}");
  const auto body = call(request);
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  if (!document || text_of(document->root(), "improved").empty()) return fail(not_scoreline());
  const JsonValue root = document->root();
  BatchOutcome outcome{number_of<std::uint64_t>(root, "improved"),
                       number_of<std::uint64_t>(root, "unchanged"),
                       number_of<std::uint64_t>(root, "duplicate"),
                       {}};
  bool sound = true;
  each_of(root, "rejected", [&](JsonValue rejected) {
    const auto index = number_of<std::size_t>(rejected, "index");
    sound = sound && index < batch.size();
    outcome.rejected.emplace_back(index,
                                  Error{code_of(text_of(rejected, "code")), std::string(text_of(rejected, "detail")),
                                        std::string(text_of(rejected, "field")), std::nullopt});
  });
  const auto told = outcome.improved + outcome.unchanged + outcome.duplicate + outcome.rejected.size();
  if (!sound || told != batch.size()) return fail(not_scoreline());
  return outcome;
}

Result<ShownBoard> ServerStore::range(const BoardChoice& board, std::uint64_t first, std::size_t limit) {
  http::ClientRequest request;
  request.target = fmt::format("{}/ranks?from={}&limit={}{}", path_of(board), first, limit, query_of(board));
  const auto body = call(request);
  if (!body) return fail(body.error());
  return read_board(*body);
}

Result<ShownBoard> ServerStore::around(const BoardChoice& board, const std::string& player, std::size_t radius) {
  // Asked here because an empty id would name another path.
  if (const auto id = leaderboards::PlayerId::parse(player); !id) return fail(id.error());
  http::ClientRequest request;
  request.target = fmt::format("{}/players/{}/around?radius={}{}", path_of(board), http::percent_encode(player), radius,
                               query_of(board));
  const auto body = call(request);
  if (!body) return fail(body.error());
  return read_board(*body);
}

Result<ShownBoard> ServerStore::place(const BoardChoice& board, const std::string& player) {
  // Only a page tells which season the current one is.
  auto shown = around(board, player, 0);
  if (!shown || shown->entries.empty()) return shown;
  BoardChoice same = board;
  same.season = shown->season;
  http::ClientRequest request;
  request.target = fmt::format("{}/players/{}?{}", path_of(same), http::percent_encode(player), query_of(same));
  const auto body = call(request);
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  if (!document || text_of(document->root(), "percentile").empty()) return fail(not_scoreline());
  const JsonValue root = document->root();
  return ShownBoard{shown->season,
                    number_of<std::uint64_t>(root, "players"),
                    {read_entry(root)},
                    std::string(text_of(root, "percentile"))};
}

Result<ShownAudit> ServerStore::audit_rank(const BoardChoice& board, const std::string& player) {
  if (const auto id = leaderboards::PlayerId::parse(player); !id) return fail(id.error());
  http::ClientRequest request;
  request.target = fmt::format("{}/players/{}/audit?{}", path_of(board), http::percent_encode(player), query_of(board));
  const auto body = call(request);
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  if (!document || text_of(document->root(), "agrees").empty()) return fail(not_scoreline());
  const JsonValue root = document->root();
  ShownAudit audit;
  audit.agrees = text_of(root, "agrees") == "true";
  audit.shown.season = audit.recounted.season = number_of<std::int64_t>(root, "season");
  root.each([&](JsonValue member) {
    if (member.kind() != JsonKind::object) return;
    ShownBoard& side = member.key() == "shown" ? audit.shown : audit.recounted;
    side.players = number_of<std::uint64_t>(member, "players");
    side.entries.push_back(read_entry(member));
    side.percentile = text_of(member, "percentile");
  });
  return audit;
}

Result<std::string> ServerStore::moderate(const PlayerCommand& command) {
  if (const auto id = leaderboards::PlayerId::parse(command.player); !id) return fail(id.error());
  http::ClientRequest request;
  request.target = fmt::format("/v1/leaderboards/{}/players/{}", http::percent_encode(command.leaderboard),
                               http::percent_encode(command.player));
  request.body = R"({"reason":)";
  http::append_quoted(request.body, command.reason);
  request.body += '}';
  const bool erase = command.deed == PlayerCommand::Deed::erase;
  const bool hide = command.deed == PlayerCommand::Deed::hide;
  request.method = erase ? http::Method::del : http::Method::post;
  if (erase) {
    request.target += command.from_ledger ? "?ledger=true" : "";
  } else {
    request.target += hide ? ":hide" : ":restore";
  }
  const auto body = call(request);
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  if (!document) return fail(not_scoreline());
  if (erase) return told_erased(number_of<std::uint64_t>(document->root(), "erasedResults"));
  return told_hidden(hide, text_of(document->root(), "changed") == "true");
}

Result<std::vector<ShownAuditEntry>> ServerStore::audit_log(std::int64_t after, std::size_t limit) {
  http::ClientRequest request;
  request.target = fmt::format("/v1/audit-log?after={}&limit={}", after, limit);
  const auto body = call(request);
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  if (!document) return fail(not_scoreline());
  std::vector<ShownAuditEntry> entries;
  each_of(document->root(), "entries", [&](JsonValue entry) {
    std::string about(text_of(entry, "leaderboard"));
    for (const auto& [key, word] :
         {std::pair{"seasonId", " season "}, {"playerId", " player "}, {"matchId", " match "}}) {
      if (const auto text = text_of(entry, key); !text.empty()) about.append(word).append(text);
    }
    entries.push_back({number_of<std::int64_t>(entry, "id"), std::string(text_of(entry, "at")),
                       std::string(text_of(entry, "action")), std::move(about), std::string(text_of(entry, "by")),
                       std::string(text_of(entry, "detail"))});
  });
  return entries;
}

Result<std::string> ServerStore::run_task(const BoardChoice& board, std::string_view task, std::string_view query,
                                          const OnProgress& progress) {
  http::ClientRequest request;
  request.method = http::Method::post;
  request.target = fmt::format("{}:{}?{}{}", path_of(board), task, query, query_of(board));
  while (true) {
    auto body = call(request);
    if (!body) return body;
    const auto document = JsonDocument::parse(*body);
    if (!document || text_of(document->root(), "state").empty()) return fail(not_scoreline());
    const JsonValue root = document->root();
    if (text_of(root, "state") == "done") return body;
    if (text_of(root, "state") == "failed") {
      Error error{Code::internal, "the server could not do it", "server", std::nullopt};
      root.each([&](JsonValue member) {
        if (member.key() != "failure") return;
        error = {code_of(text_of(member, "code")), std::string(text_of(member, "detail")), {}, std::nullopt};
      });
      return fail(error);
    }
    progress(number_of<std::uint64_t>(root, "resultsDone"), number_of<std::uint64_t>(root, "resultsTotal"));
    wait_(kAskAgain);
    // The season and period as the server understood them: others may become the current ones meanwhile.
    request.method = http::Method::get;
    request.target =
        fmt::format("/v1/leaderboards/{}/seasons/{}:{}?period={}", http::percent_encode(board.leaderboard),
                    number_of<std::int64_t>(root, "season"), task, http::percent_encode(text_of(root, "period")));
  }
}

Result<std::int64_t> ServerStore::rebuild(const BoardChoice& board, const OnProgress& progress) {
  const auto body = run_task(board, "rebuild", "", progress);
  if (!body) return fail(body.error());
  return number_of<std::int64_t>(JsonDocument::parse(*body)->root(), "season");
}

Result<ShownDrift> ServerStore::reconcile(const BoardChoice& board, bool repair, const OnProgress& progress) {
  const auto body = run_task(board, "reconcile", repair ? "repair=true" : "", progress);
  if (!body) return fail(body.error());
  const auto document = JsonDocument::parse(*body);
  const JsonValue root = document->root();
  ShownDrift drift;
  drift.season = number_of<std::int64_t>(root, "season");
  drift.players = number_of<std::uint64_t>(root, "driftPlayers");
  drift.repaired = text_of(root, "repaired") == "true";
  root.each([&](JsonValue member) {
    if (member.key() == "ledger") drift.ledger = read_sum(member);
    if (member.key() == "index") drift.index = read_sum(member);
  });
  each_of(root, "differing", [&](JsonValue each) { drift.differing.push_back(read_difference(each)); });
  return drift;
}

}  // namespace scoreline::cli
