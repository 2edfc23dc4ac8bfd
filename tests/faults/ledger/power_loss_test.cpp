// The power goes at any moment: the ledger over a recording file system, then opened again from what a disk may hold.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "adapters/sqlite/sqlite_ledger.h"
#include "faults/ledger/recording_vfs.h"
#include "support/scratch_folder.h"

namespace scoreline::test {
namespace {

namespace fs = std::filesystem;
constexpr std::int64_t kBatches = 300;
constexpr int kRowsPerBatch = 20;

int images() { return std::getenv("SCORELINE_LONG") != nullptr ? 4'000 : 300; }

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<leaderboards::MatchResult> batch_of(std::int64_t number) {
  std::vector<leaderboards::MatchResult> batch;
  for (int row = 0; row < kRowsPerBatch; ++row) {
    Uuid match;
    const std::uint64_t spread = static_cast<std::uint64_t>(number * kRowsPerBatch + row) * 0x9E37'79B9'7F4A'7C15;
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

struct Verdict {
  int lost = 0;     ///< images without something acknowledged
  int damaged = 0;  ///< images that the ledger itself refused
  int wrong = 0;    ///< images served with part of a batch, or with a hole
};

class PowerLoss : public ::testing::Test {
 protected:
  /// A run of batches recorded from a durable start on.
  void record(sqlite::Sync sync) {
    const fs::path folder = scratch_.path() / "run";
    sqlite::SqliteLedger::open(folder).value();  // makes the files, and closes
    for (const char* name : {"ledger.sqlite", "ledger.head"}) start_[name] = content(folder / name);
    record_.start();
    auto ledger = sqlite::SqliteLedger::open(folder, {.checkpoint_pages = 80, .cache_kib = 512, .sync = sync}).value();
    for (std::int64_t number = 1; number <= kBatches; ++number) {
      ASSERT_TRUE(ledger->append(batch_of(number)));
      record_.add_write("ledger.head", 0, content(folder / "ledger.head"));
      record_.acknowledge(number);
    }
    ledger.reset();
    record_.stop();
  }

  Verdict judge(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Verdict verdict;
    for (int i = 0; i < images(); ++i) {
      const auto image = record_.power_failure(random, start_);
      const fs::path folder = scratch_.path() / "image";
      fs::remove_all(folder);
      fs::create_directories(folder);
      for (const auto& [name, bytes] : image.files) {
        if (name != "ledger.sqlite-shm") std::ofstream(folder / name, std::ios::binary) << bytes;
      }
      open(folder, image.acknowledged, verdict);
    }
    return verdict;
  }

 private:
  static void open(const fs::path& folder, std::int64_t acknowledged, Verdict& verdict) {
    auto ledger = sqlite::SqliteLedger::open(folder);
    std::map<std::int64_t, int> rows;
    Result<void> scanned;
    if (ledger) {
      scanned = (*ledger)->scan([&rows](const leaderboards::LedgerRow& row) { ++rows[row.points]; }, nullptr);
    }
    if (!ledger || !scanned) {
      ++verdict.damaged;
      return;
    }
    std::int64_t next = 1;
    bool whole = true;
    for (const auto& [number, count] : rows) whole = whole && number == next++ && count == kRowsPerBatch;
    if (!whole) ++verdict.wrong;
    if (static_cast<std::int64_t>(rows.size()) < acknowledged) ++verdict.lost;
  }

  static DiskRecord& record_;
  ScratchFolder scratch_;
  std::map<std::string, std::string> start_;
};

DiskRecord& PowerLoss::record_ = DiskRecord::install();

TEST_F(PowerLoss, NothingAcknowledgedIsLostAndNoAlarmIsFalse) {
  record(sqlite::Sync::full);
  const Verdict verdict = judge(1);
  EXPECT_EQ(verdict.lost, 0);
  EXPECT_EQ(verdict.damaged, 0) << "a witness or a checksum told of damage that a plain power failure made";
  EXPECT_EQ(verdict.wrong, 0);
}

// The test of the test, and of the alarm: without syncs much is lost, and none of it in silence.
TEST_F(PowerLoss, WithoutSyncsTheLossIsSeen) {
  record(sqlite::Sync::off);
  const Verdict verdict = judge(2);
  EXPECT_GT(verdict.lost + verdict.damaged, images() / 20);
  EXPECT_GT(verdict.damaged, 0);
  EXPECT_EQ(verdict.wrong, 0);
}

}  // namespace
}  // namespace scoreline::test
