// One bit flips, or a file is cut, swapped or lost, while nobody looks: what is read afterwards is right, or the damage
// is told; never something wrong.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>

#include "adapters/sqlite/sqlite_ledger.h"
#include "contract/ledger/ledger_contract.h"
#include "support/scratch_folder.h"

namespace scoreline::leaderboards {
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(LedgerContract);

namespace {

namespace fs = std::filesystem;
using sqlite::SqliteLedger;
using ::testing::HasSubstr;

const char* const kBoards[] = {"main", "sums"};
constexpr int kPlayers = 25;

int flips() { return std::getenv("SCORELINE_LONG") != nullptr ? 6'000 : 250; }

/// All that anyone can read from a ledger.
struct Everything {
  std::multiset<Row> rows;
  std::string definitions;
  std::map<std::string, std::multiset<std::pair<std::int64_t, std::int64_t>>> results_of;
  std::set<std::string> contained;
  friend bool operator==(const Everything&, const Everything&) = default;
};

/// nullopt when the ledger told of damage (or of any error) on the way.
std::optional<Everything> read(Ledger& ledger) {
  Everything all;
  const auto scanned = ledger.scan(
      [&all](const LedgerRow& r) {
        all.rows.insert({std::string(r.leaderboard), r.season.value, std::string(r.player), r.match_id, r.points,
                         r.achieved_at.ms, r.extra});
      },
      nullptr);
  if (!scanned) return std::nullopt;
  const auto records = ledger.leaderboards();
  if (!records) return std::nullopt;
  for (const auto& [definition, seasons, hidden] : *records) {
    for (const HiddenPlayer& each : hidden) all.definitions += each.player.text() + each.reason;
    all.definitions += definition.name.text() + std::string(to_string(definition.rule)) +
                       std::string(to_string(definition.order)) + std::to_string(definition.max_points) +
                       std::to_string(definition.top) + std::to_string(definition.grace.count());
    for (const Season& season : seasons) {
      all.definitions += std::to_string(season.id.value) + ":" + std::to_string(season.start ? season.start->ms : -1) +
                         std::to_string(season.end ? season.end->ms : -1);
    }
  }
  for (const char* board : kBoards) {
    for (int player = 0; player < kPlayers; ++player) {
      const std::string id = "player-" + std::to_string(player);
      const auto results = test::results_of(ledger, {board_name(board), {1}}, player_id(id));
      if (!results) return std::nullopt;
      for (const auto& [points, at] : *results) all.results_of[board + id].emplace(points, at.ms);
      for (std::uint64_t number = 0; number < 40; ++number) {
        const auto contained = ledger.contains(board_name(board), match(number), player_id(id));
        if (!contained) return std::nullopt;
        if (*contained) all.contained.insert(board + id + "/" + std::to_string(number));
      }
    }
  }
  return all;
}

/// Some of everything: two rules, seasons, both kinds of erasure, many batches, and a log that is not empty.
void fill(Ledger& ledger) {
  std::mt19937_64 random(7);
  Definition sums{board_name("sums")};
  sums.rule = Rule::sum;
  sums.max_points = 1'000;
  ASSERT_TRUE(ledger.put_definition({board_name("main")}));
  ASSERT_TRUE(ledger.put_definition(sums));
  ASSERT_TRUE(ledger.put_season(sums.name, {{1}, Timestamp{5}, Timestamp{999'999}}));
  for (int batch = 0; batch < 60; ++batch) {
    std::vector<MatchResult> results;
    for (int i = 0; i < 25; ++i) {
      results.push_back(result(random() % 80, "player-" + std::to_string(random() % kPlayers),
                               static_cast<std::int64_t>(random() % 1'000), kBoards[random() % 2]));
    }
    ASSERT_TRUE(ledger.append(results));
    if (batch == 10) {
      ASSERT_TRUE(ledger.erase_player(sums.name, player_id("player-3"), Ledger::Erase::from_boards, {}));
      ASSERT_TRUE(ledger.erase_player(board_name("main"), player_id("player-4"), Ledger::Erase::from_ledger, {}));
      ASSERT_TRUE(ledger.erase_player(board_name("main"), player_id("player-5"), Ledger::Erase::from_boards, {}));
      ASSERT_TRUE(ledger.hide_player(board_name("main"), player_id("player-6"), {{7}, "eve", "cheats"}));
      ASSERT_TRUE(ledger.append(std::vector{result(5'000, "player-7", 1)}));
      ASSERT_TRUE(ledger.void_match(board_name("main"), match(5'000), {{8}, "eve", "fixed"}));
    }
  }
}

std::string content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void flip_bit(const fs::path& file, std::uint64_t bit) {
  std::fstream out(file, std::ios::binary | std::ios::in | std::ios::out);
  out.seekg(static_cast<std::streamoff>(bit / 8));
  const char byte = static_cast<char>(out.get() ^ (1 << (bit % 8)));
  out.seekp(static_cast<std::streamoff>(bit / 8));
  out.put(byte);
}

class Damage : public ::testing::Test {
 protected:
  /// A folder as a process leaves it that is killed: the newest batches only in the log; or as one that ends.
  enum class End { killed, closed };

  void make(End end) {
    // Killed: without a checkpoint, so that all of the log is alive.
    const sqlite::Options options{
        .checkpoint_pages = end == End::killed ? 100'000u : 100u, .cache_kib = 512, .sync = sqlite::Sync::off};
    auto ledger = SqliteLedger::open(scratch_.path() / "made", options).value();
    fill(*ledger);
    if (end == End::closed) ledger.reset();
    for (const char* name : {"ledger.sqlite", "ledger.sqlite-wal", "ledger.head"}) {
      if (fs::exists(scratch_.path() / "made" / name)) files_[name] = content(scratch_.path() / "made" / name);
    }
    ledger.reset();
    ASSERT_EQ(files_.contains("ledger.sqlite-wal"), end == End::killed);
  }

  /// The same folder again, whole.
  fs::path lay_out() {
    const fs::path folder = scratch_.path() / "data";
    fs::remove_all(folder);
    fs::create_directories(folder);
    for (const auto& [name, bytes] : files_) std::ofstream(folder / name, std::ios::binary) << bytes;
    return folder;
  }

  static Result<std::unique_ptr<SqliteLedger>> open(const fs::path& folder) {
    return SqliteLedger::open(folder, {.checkpoint_pages = 100, .cache_kib = 512, .sync = sqlite::Sync::off});
  }

  Everything expected() {
    auto ledger = open(lay_out());
    const auto all = read(**ledger);
    EXPECT_TRUE(all);
    EXPECT_GT(all->rows.size(), 300u);
    return *all;
  }

  /// The error that opening or reading tells; fails the test when there is none.
  static std::string told(const fs::path& folder) {
    auto ledger = open(folder);
    if (!ledger) return std::string(traits(ledger.error().code).name) + ": " + ledger.error().detail;
    const auto scanned = (*ledger)->scan([](const LedgerRow&) {}, nullptr);
    if (!scanned) return std::string(traits(scanned.error().code).name) + ": " + scanned.error().detail;
    ADD_FAILURE() << "nothing was told";
    return {};
  }

  /// How many of many random flips in the files were told; each of the others must be harmless.
  int flip_many(std::uint64_t seed, const std::string& only = {}) {
    const Everything right = expected();
    std::mt19937_64 random(seed);
    std::vector<std::string> names;
    for (const auto& [name, bytes] : files_) {
      if (only.empty() || name == only) names.push_back(name);
    }
    int noticed = 0;
    for (int i = 0; i < flips(); ++i) {
      const fs::path folder = lay_out();
      const std::string& name = names[random() % names.size()];
      const std::uint64_t bit = random() % (files_[name].size() * 8);
      flip_bit(folder / name, bit);
      SCOPED_TRACE(name + " bit " + std::to_string(bit));
      auto ledger = open(folder);
      const auto all = ledger ? read(**ledger) : std::nullopt;
      if (!all) {
        ++noticed;
        continue;
      }
      EXPECT_TRUE(*all == right) << "wrong data was served";
      // What was harmless to read must not do harm to what comes.
      const auto appended = (*ledger)->append(std::vector{result(1'000, "late", 1)});
      if (!appended) continue;
      ledger->reset();
      auto again = open(folder);
      const auto more = again ? read(**again) : std::nullopt;
      if (!more) continue;
      EXPECT_EQ(more->rows.size(), right.rows.size() + 1);
      EXPECT_EQ(more->contained, right.contained);
      if (::testing::Test::HasFailure()) break;
    }
    return noticed;
  }

  test::ScratchFolder scratch_;
  std::map<std::string, std::string> files_;
};

TEST_F(Damage, FlipsInTheLogAreHarmlessOrTold) {
  make(End::killed);
  EXPECT_GT(flip_many(1, "ledger.sqlite-wal"), flips() / 2);
}

TEST_F(Damage, FlipsInTheDatabaseAreHarmlessOrTold) {
  make(End::closed);
  EXPECT_GT(flip_many(2, "ledger.sqlite"), flips() / 2);
}

TEST_F(Damage, FlipsAnywhereAreHarmlessOrTold) {
  make(End::killed);
  EXPECT_GT(flip_many(3), flips() / 5);
}

TEST_F(Damage, EveryFlipInTheWitnessIsHarmless) {
  make(End::closed);
  const Everything right = expected();
  for (std::uint64_t slot : {0, 4096}) {
    for (std::uint64_t bit = 0; bit < 32 * 8; bit += 5) {
      const fs::path folder = lay_out();
      flip_bit(folder / "ledger.head", slot * 8 + bit);
      auto ledger = open(folder);
      ASSERT_TRUE(ledger) << ledger.error().detail;
      EXPECT_EQ(read(**ledger), right);
    }
  }
}

TEST_F(Damage, FlipsOfTheFirstHundredBytesAreHarmlessOrTold) {
  make(End::closed);
  const Everything right = expected();
  for (std::uint64_t bit = 0; bit < 100 * 8; bit += 3) {
    const fs::path folder = lay_out();
    flip_bit(folder / "ledger.sqlite", bit);
    auto ledger = open(folder);
    const auto all = ledger ? read(**ledger) : std::nullopt;
    if (all) {
      EXPECT_EQ(*all, right) << "bit " << bit;
    }
  }
}

TEST_F(Damage, LostLogIsTold) {
  make(End::killed);
  const fs::path folder = lay_out();
  fs::remove(folder / "ledger.sqlite-wal");
  EXPECT_THAT(told(folder), HasSubstr("damaged: committed batches are missing"));
}

TEST_F(Damage, LostDatabaseIsTold) {
  make(End::closed);
  const fs::path folder = lay_out();
  fs::remove(folder / "ledger.sqlite");
  EXPECT_THAT(told(folder), HasSubstr("damaged: committed batches are missing"));
  EXPECT_FALSE(fs::exists(folder / "ledger.sqlite")) << "an empty one was put in its place";
}

TEST_F(Damage, DamagedLogIsLeftAsItWas) {
  make(End::killed);
  const fs::path folder = lay_out();
  flip_bit(folder / "ledger.sqlite-wal", 8 * 5'000);
  const std::string log = content(folder / "ledger.sqlite-wal");
  EXPECT_THAT(told(folder), HasSubstr("damaged: committed batches are missing"));
  EXPECT_EQ(content(folder / "ledger.sqlite-wal"), log) << "evidence was destroyed";
}

TEST_F(Damage, CutFilesAreTold) {
  make(End::killed);
  for (const auto& [name, bytes] : files_) {
    if (name == "ledger.head") continue;
    for (const int part : {0, 1, 2, 3}) {
      const fs::path folder = lay_out();
      fs::resize_file(folder / name, bytes.size() * static_cast<std::uintmax_t>(part) / 4);
      SCOPED_TRACE(name + " cut to quarter " + std::to_string(part));
      auto ledger = open(folder);
      const auto all = ledger ? read(**ledger) : std::nullopt;
      // Half of the log may be of before its last beginning: then nothing is lost.
      if (all) {
        EXPECT_EQ(*all, expected());
      }
    }
  }
}

TEST_F(Damage, OlderDatabaseUnderANewerWitnessIsTold) {
  make(End::closed);
  const fs::path folder = lay_out();
  {
    auto ledger = open(folder);
    ASSERT_TRUE((*ledger)->append(std::vector{result(2'000, "late", 1)}));
  }
  std::ofstream(folder / "ledger.sqlite", std::ios::binary) << files_["ledger.sqlite"];
  EXPECT_THAT(told(folder), HasSubstr("delete ledger.head"));
  fs::remove(folder / "ledger.head");
  auto ledger = open(folder);
  ASSERT_TRUE(ledger) << "a restored backup opens once the witness is gone";
  EXPECT_THAT((*ledger)->notes(), ::testing::ElementsAre(HasSubstr("ledger.head was missing")));
  EXPECT_EQ(read(**ledger), expected());
}

TEST_F(Damage, AnotherHistoryOfTheSameLengthIsTold) {
  make(End::closed);
  const fs::path folder = lay_out();
  {
    auto ledger = open(folder);
    ASSERT_TRUE((*ledger)->append(std::vector{result(2'000, "one", 1)}));
  }
  const std::string head = content(folder / "ledger.head");
  lay_out();
  {
    auto ledger = open(folder);
    ASSERT_TRUE((*ledger)->append(std::vector{result(2'000, "other", 1)}));
  }
  std::ofstream(folder / "ledger.head", std::ios::binary) << head;
  EXPECT_THAT(told(folder), HasSubstr("is not the one that was committed"));
}

TEST_F(Damage, TornWitnessFallsBackToTheSlotBefore) {
  make(End::closed);
  const Everything right = expected();
  for (const std::uintmax_t size : {0, 16, 32, 4096, 4112}) {
    const fs::path folder = lay_out();
    fs::resize_file(folder / "ledger.head", size);
    auto ledger = open(folder);
    ASSERT_TRUE(ledger) << ledger.error().detail;
    EXPECT_EQ(read(**ledger), right);
    EXPECT_EQ((*ledger)->notes().empty(), size >= 32) << size;
  }
}

}  // namespace
}  // namespace scoreline::leaderboards
