// Every allocation that SQLite makes fails once, the first, the second, … : a batch is there or it is not, and what was
// answered is true.
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <map>

#include "adapters/sqlite/sqlite_ledger.h"
#include "support/scratch_folder.h"

namespace scoreline::test {
namespace {

sqlite3_mem_methods real_methods;
long until_failure = -1;  // allocations to go; -1: none fails
bool failed = false;

bool fails_now() {
  if (until_failure < 0 || until_failure-- > 0) return false;
  failed = true;
  return true;
}
void* allocate(int size) { return fails_now() ? nullptr : real_methods.xMalloc(size); }
void* reallocate(void* block, int size) { return fails_now() ? nullptr : real_methods.xRealloc(block, size); }

/// Before SQLite is used for the first time.
const bool kInstalled = [] {
  sqlite3_config(SQLITE_CONFIG_GETMALLOC, &real_methods);
  static sqlite3_mem_methods failing = real_methods;
  failing.xMalloc = allocate;
  failing.xRealloc = reallocate;
  // Small blocks come from SQLite's own pool otherwise.
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
  return sqlite3_config(SQLITE_CONFIG_MALLOC, &failing) == SQLITE_OK;
}();

/// The nth allocation of `work` fails; false once it has fewer.
template <typename Work>
bool fail_nth(long nth, const Work& work) {
  failed = false;
  until_failure = nth;
  work();
  until_failure = -1;
  return failed;
}

std::vector<leaderboards::MatchResult> batch_of(std::int64_t number) {
  std::vector<leaderboards::MatchResult> batch;
  for (int row = 0; row < 50; ++row) {
    Uuid match;
    match.bytes[0] = static_cast<std::uint8_t>(row * 5);
    match.bytes[1] = static_cast<std::uint8_t>(number);
    match.bytes[2] = static_cast<std::uint8_t>(number >> 8);
    batch.push_back({leaderboards::LeaderboardName::trusted("main"),
                     match,
                     leaderboards::PlayerId::trusted("p" + std::to_string(row)),
                     {1},
                     number,
                     {row}});
  }
  return batch;
}

std::map<std::int64_t, int> stored(sqlite::SqliteLedger& ledger) {
  std::map<std::int64_t, int> rows;
  const auto scanned = ledger.scan([&rows](const leaderboards::LedgerRow& r) { ++rows[r.points]; }, nullptr);
  EXPECT_TRUE(scanned) << scanned.error().detail;
  return rows;
}

TEST(OutOfMemory, AppendIsWholeOrNotThere) {
  ASSERT_TRUE(kInstalled);
  const ScratchFolder scratch;
  const sqlite::Options options{.checkpoint_pages = 40, .cache_kib = 64, .sync = sqlite::Sync::off};
  auto ledger = sqlite::SqliteLedger::open(scratch.path() / "data", options).value();
  std::map<std::int64_t, bool> acknowledged;
  long refused = 0, quiet = 0;
  for (std::int64_t nth = 0; quiet < 3; ++nth) {
    bool answered = false;
    Code code = Code::internal;
    const bool met = fail_nth(nth, [&] {
      const auto answers = ledger->append(batch_of(nth));
      answered = answers.has_value();
      if (!answers) code = answers.error().code;
    });
    quiet = met ? 0 : quiet + 1;
    acknowledged[nth] = answered;
    if (answered) continue;
    ++refused;
    ASSERT_TRUE(code == Code::storage_failed || code == Code::unknown_outcome) << traits(code).name;
    if (ledger->write_failure()) {
      ledger.reset();
      ledger = sqlite::SqliteLedger::open(scratch.path() / "data", options).value();
    }
    const auto rows = stored(*ledger);
    if (code == Code::storage_failed) {
      ASSERT_FALSE(rows.contains(nth)) << "refused, yet there";
    }
  }
  EXPECT_GT(refused, 10);
  const auto rows = stored(*ledger);
  for (const auto& [number, answered] : acknowledged) {
    if (answered) {
      EXPECT_TRUE(rows.contains(number)) << number;
    }
  }
  for (const auto& [number, count] : rows) EXPECT_EQ(count, 50) << "part of batch " << number;
  EXPECT_TRUE(ledger->verify(nullptr).value().findings.empty());
}

TEST(OutOfMemory, OpenAndScanFailWithAnErrorAndNoWrongRow) {
  const ScratchFolder scratch;
  const auto folder = scratch.path() / "data";
  const sqlite::Options options{.checkpoint_pages = 40, .cache_kib = 64, .sync = sqlite::Sync::off};
  {
    auto ledger = sqlite::SqliteLedger::open(folder, options).value();
    for (std::int64_t number = 0; number < 5; ++number) ASSERT_TRUE(ledger->append(batch_of(number)));
  }
  long refused = 0;
  for (long nth = 0;; ++nth) {
    std::map<std::int64_t, int> rows;
    bool read = false;
    const bool met = fail_nth(nth, [&] {
      auto ledger = sqlite::SqliteLedger::open(folder, options);
      if (!ledger) {
        EXPECT_EQ(ledger.error().code, Code::storage_failed) << ledger.error().detail;
        return;
      }
      const auto scanned = (*ledger)->scan([&rows](const leaderboards::LedgerRow& r) { ++rows[r.points]; }, nullptr);
      read = scanned.has_value();
      if (!scanned) {
        EXPECT_EQ(scanned.error().code, Code::storage_failed) << scanned.error().detail;
      }
    });
    refused += !read;
    if (read) {
      EXPECT_EQ(rows.size(), 5u);
      for (const auto& [number, count] : rows) EXPECT_EQ(count, 50);
    }
    if (!met) break;
  }
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace scoreline::test
