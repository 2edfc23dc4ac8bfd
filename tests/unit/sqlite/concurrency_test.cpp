// Reads run beside writes, and see whole batches only.
#include <gtest/gtest.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "adapters/sqlite/sqlite_ledger.h"
#include "support/ledger_words.h"
#include "support/scratch_folder.h"

namespace scoreline::sqlite {
namespace {

using leaderboards::LeaderboardName;
using leaderboards::PlayerId;

constexpr int kRows = 10;

std::vector<leaderboards::MatchResult> batch_of(std::uint64_t number) {
  std::vector<leaderboards::MatchResult> batch;
  for (int row = 0; row < kRows; ++row) {
    Uuid match;
    match.bytes[0] = static_cast<std::uint8_t>(row * 25);
    for (std::size_t i = 0; i < 4; ++i) match.bytes[1 + i] = static_cast<std::uint8_t>(number >> (8 * i));
    batch.push_back({LeaderboardName::trusted("main"),
                     match,
                     PlayerId::trusted("p" + std::to_string(row)),
                     {1},
                     static_cast<std::int64_t>(number),
                     {row}});
  }
  return batch;
}

TEST(SqliteLedgerConcurrency, ReadersBesideTheWriterSeeWholeBatches) {
  const test::ScratchFolder scratch;
  const auto ledger =
      SqliteLedger::open(scratch.path() / "data", {.checkpoint_pages = 50, .cache_kib = 256, .sync = Sync::off})
          .value();
  const auto name = LeaderboardName::trusted("main");
  leaderboards::Definition sums{name};
  sums.rule = leaderboards::Rule::sum;
  ASSERT_TRUE(ledger->put_definition(sums));

  std::atomic<std::uint64_t> answered{0};
  std::atomic<bool> done{false};
  const auto scan_on = [&] {
    while (!done) {
      const std::uint64_t at_least = answered;
      std::map<std::int64_t, int> rows;
      const auto scanned = ledger->scan([&rows](const leaderboards::LedgerRow& r) { ++rows[r.points]; }, nullptr);
      ASSERT_TRUE(scanned) << scanned.error().detail;
      ASSERT_GE(rows.size(), at_least);
      for (const auto& [number, count] : rows) ASSERT_EQ(count, kRows);
    }
  };
  const auto look_up_on = [&] {
    while (!done) {
      const std::uint64_t at_least = answered;
      ASSERT_GE(test::results_of(*ledger, {name, {1}}, PlayerId::trusted("p3")).value().size(), at_least);
      ASSERT_TRUE(ledger->has_results(name).value() || at_least == 0);
      ASSERT_EQ(ledger->leaderboards().value().size(), 1u);
      static_cast<void>(ledger->wal_bytes());
      ASSERT_FALSE(ledger->write_failure());
    }
  };
  std::vector<std::thread> readers;
  readers.emplace_back(scan_on);
  readers.emplace_back(scan_on);
  readers.emplace_back(look_up_on);
  readers.emplace_back([&] {
    while (!done) ASSERT_TRUE(ledger->verify(nullptr).value().findings.empty());
  });
  for (std::uint64_t number = 1; number <= 300; ++number) {
    ASSERT_TRUE(ledger->append(batch_of(number)));
    answered = number;
  }
  done = true;
  for (std::thread& reader : readers) reader.join();
  EXPECT_TRUE(ledger->verify(nullptr).value().findings.empty());
}

}  // namespace
}  // namespace scoreline::sqlite
