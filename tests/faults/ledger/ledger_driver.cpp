// A process that keeps a ledger and tells what it answered, for tests that let its disk fail.
//
//   ledger_driver append FOLDER BATCHES ROWS [BALLAST]   appends numbered batches, each of ROWS results; one line each:
//                                       `ack N`, or `fail N CODE` (then it tries N again: once, or, with
//                                       storage_full, once more after it deleted BALLAST), then `reads ROWS`
//   ledger_driver check FOLDER ROWS     scans: one line `has N` for each whole batch; anything else is an error
//   ledger_driver hold FOLDER           opens, prints `held`, waits for the end of its input
//
// Exit code: 0, or that of the error (base/error.h), which goes to standard error as `CODE detail`.
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/sqlite/sqlite_ledger.h"

namespace scoreline {
namespace {

/// At once and whole, whatever happens to the process next.
void say(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::_Exit(1);
}

int give_up(const Error& error) {
  fmt::print(stderr, "{} {}\n", traits(error.code).name, error.detail);
  return traits(error.code).exit_code;
}

std::vector<leaderboards::MatchResult> batch_of(std::int64_t number, std::int64_t rows) {
  std::vector<leaderboards::MatchResult> batch;
  for (std::int64_t row = 0; row < rows; ++row) {
    // Spread over the whole key range, as random match ids are.
    const auto spread = static_cast<std::uint64_t>(number * rows + row) * 0x9E37'79B9'7F4A'7C15;
    Uuid match;
    for (std::size_t i = 0; i < 8; ++i) match.bytes[i] = static_cast<std::uint8_t>(spread >> (8 * i));
    batch.push_back({leaderboards::LeaderboardName::trusted("main"),
                     match,
                     leaderboards::PlayerId::trusted("player-" + std::to_string(row)),
                     {1},
                     number,
                     {row}});
  }
  return batch;
}

bool append_one(sqlite::SqliteLedger& ledger, std::int64_t number, std::int64_t rows, Code& code) {
  const auto answers = ledger.append(batch_of(number, rows));
  say(answers ? fmt::format("ack {}", number) : fmt::format("fail {} {}", number, traits(answers.error().code).name));
  if (!answers) code = answers.error().code;
  return answers.has_value();
}

int append(const std::filesystem::path& folder, std::int64_t batches, std::int64_t rows, const char* ballast) {
  // Small enough that a short run has many checkpoints.
  auto ledger =
      sqlite::SqliteLedger::open(folder, {.checkpoint_pages = 60, .cache_kib = 64, .sync = sqlite::Sync::full});
  if (!ledger) return give_up(ledger.error());
  for (std::int64_t number = 1; number <= batches; ++number) {
    Code code = Code::internal;
    if (append_one(**ledger, number, rows, code)) continue;
    if (code == Code::storage_full && ballast != nullptr) {
      std::filesystem::remove(std::exchange(ballast, nullptr));
      say("ballast gone");
    }
    append_one(**ledger, number, rows, code);
  }
  std::uint64_t seen = 0;
  const auto scanned = (*ledger)->scan([&seen](const leaderboards::LedgerRow&) { ++seen; }, nullptr);
  if (!scanned) return give_up(scanned.error());
  say(fmt::format("reads {}", seen));
  return 0;
}

int check(const std::filesystem::path& folder, std::int64_t rows) {
  auto ledger = sqlite::SqliteLedger::open(folder);
  if (!ledger) return give_up(ledger.error());
  std::map<std::int64_t, std::int64_t> rows_of;
  const auto scanned = (*ledger)->scan([&](const leaderboards::LedgerRow& row) { ++rows_of[row.points]; }, nullptr);
  if (!scanned) return give_up(scanned.error());
  const auto report = (*ledger)->verify(nullptr);
  if (!report) return give_up(report.error());
  for (const std::string& finding : report->findings) return give_up({Code::damaged, finding, {}, std::nullopt});
  for (const auto& [number, found] : rows_of) {
    if (found != rows) return give_up({Code::damaged, fmt::format("part of batch {}: {}", number, found), {}, {}});
    say(fmt::format("has {}", number));
  }
  return 0;
}

int hold(const std::filesystem::path& folder) {
  auto ledger = sqlite::SqliteLedger::open(folder);
  if (!ledger) return give_up(ledger.error());
  say("held");
  char byte;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return 0;
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

}  // namespace
}  // namespace scoreline

int main(int argc, char** argv) {
  using namespace scoreline;
  std::signal(SIGXFSZ, SIG_IGN);  // as the server does: over the limit a write fails instead
  const std::string_view command = argc > 2 ? argv[1] : "";
  if (command == "append" && argc >= 5)
    return append(argv[2], number(argv[3]), number(argv[4]), argc > 5 ? argv[5] : nullptr);
  if (command == "check" && argc == 4) return check(argv[2], number(argv[3]));
  if (command == "hold") return hold(argv[2]);
  fmt::print(stderr, "usage: ledger_driver append FOLDER BATCHES ROWS [BALLAST] | check FOLDER ROWS | hold FOLDER\n");
  return traits(Code::usage).exit_code;
}
