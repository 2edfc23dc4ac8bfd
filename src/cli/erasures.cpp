#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "base/timestamp.h"
#include "cli/commands.h"
#include "cli/json_members.h"
#include "http/json_document.h"
#include "http/json_text.h"
#include "leaderboards/values.h"

namespace scoreline::cli {
namespace {

/// A player who was erased, as a line of the file tells it.
struct Erasure {
  Timestamp at;
  std::string leaderboard;
  std::string player;
};

Result<Erasure> read_erasure(http::JsonValue object) {
  const auto at = parse_timestamp(member(object, "at"));
  if (!at) return fail(Code::invalid, at.error().detail, "at");
  Erasure erasure{*at, member(object, "leaderboard"), member(object, "playerId")};
  if (auto name = leaderboards::LeaderboardName::parse(erasure.leaderboard); !name) return fail(name.error());
  if (auto id = leaderboards::PlayerId::parse(erasure.player); !id) return fail(id.error());
  return erasure;
}

std::string line_of(const Erasure& erasure) {
  std::string out = fmt::format(R"({{"at":"{}","leaderboard":)", format_timestamp(erasure.at));
  http::append_quoted(out, erasure.leaderboard);
  out += R"(,"playerId":)";
  http::append_quoted(out, erasure.player);
  return out + "}\n";
}

/// Every erasure that the audit log has, the oldest first.
Result<std::vector<Erasure>> logged(Answerer& answerer) {
  std::vector<Erasure> erasures;
  for (std::string after = "0"; !after.empty();) {
    http::ClientRequest request;
    request.target = fmt::format("/v1/audit-log?after={}&limit={}", after, kMaxEntries);
    const auto body = answerer.ask(request);
    if (!body) return fail(body.error());
    const auto document = http::JsonDocument::parse(*body);
    if (!document) return fail(document.error());
    std::optional<Error> wrong;
    each_of(document->root(), "entries", [&](http::JsonValue entry) {
      if (member(entry, "action") != "erase-player") return;
      auto erasure = read_erasure(entry);
      if (!erasure) {
        wrong = std::move(erasure.error());
      } else {
        erasures.push_back(*std::move(erasure));
      }
    });
    if (wrong) return fail(*std::move(wrong));
    after = member(document->root(), "next");
  }
  return erasures;
}

/// The whole file, or the first line that is wrong.
Result<std::vector<Erasure>> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return fail(Code::not_found, fmt::format("cannot open {}: {}", path, std::strerror(errno)), "FILE");
  std::vector<Erasure> erasures;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    const auto document = http::JsonDocument::parse(line);
    auto erasure = document ? read_erasure(document->root()) : Result<Erasure>(fail(document.error()));
    if (!erasure) {
      Error error = std::move(erasure.error());
      error.detail = fmt::format("line {} of {}: {}", number, path, error.detail);
      return fail(std::move(error));
    }
    erasures.push_back(*std::move(erasure));
  }
  if (file.bad()) return fail(Code::storage_failed, fmt::format("cannot read {}", path), "FILE");
  return erasures;
}

/// Whether the player was erased then, or again later.
bool stands(const std::vector<Erasure>& log, const Erasure& erasure) {
  return std::ranges::any_of(log, [&](const Erasure& each) {
    return each.leaderboard == erasure.leaderboard && each.player == erasure.player && each.at >= erasure.at;
  });
}

/// Whether any result of the player counted.
Result<bool> erase_again(Answerer& answerer, const Erasure& erasure, bool from_ledger) {
  http::ClientRequest request;
  request.method = http::Method::del;
  request.target = fmt::format("/v1/leaderboards/{}/players/{}?ledger={}", http::percent_encode(erasure.leaderboard),
                               http::percent_encode(erasure.player), from_ledger);
  request.body = fmt::format(R"({{"reason":"erased at {}; a restored backup had brought the player back"}})",
                             format_timestamp(erasure.at));
  const auto body = answerer.ask(request);
  if (!body) return fail(body.error());
  const auto document = http::JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  return member(document->root(), "erasedResults") != "0";
}

}  // namespace

Result<int> run_erasures(const ErasuresCommand& command, Context& context) {
  std::vector<Erasure> wanted;
  if (command.file) {
    auto read = read_file(*command.file);
    if (!read) return fail(std::move(read.error()));
    wanted = *std::move(read);
  }
  const auto answerer = context.open_answerer();
  if (!answerer) return fail(answerer.error());
  auto log = logged(**answerer);
  if (!log) return fail(std::move(log.error()));
  if (!command.file) {
    for (const Erasure& erasure : *log) context.out << line_of(erasure);
    return 0;
  }
  std::uint64_t again = 0, absent = 0;
  for (const Erasure& erasure : wanted) {
    if (stands(*log, erasure)) continue;
    const auto erased = erase_again(**answerer, erasure, command.from_ledger);
    if (!erased) return fail(erased.error());
    ++(*erased ? again : absent);
  }
  context.out << fmt::format(fmt::runtime(context.json ? R"({{"erasedAgain":{},"absent":{},"stood":{}}})"
                                                         "\n"
                                                       : "erased again: {}; not there: {}; erased already: {}\n"),
                             again, absent, wanted.size() - again - absent);
  return 0;
}

}  // namespace scoreline::cli
