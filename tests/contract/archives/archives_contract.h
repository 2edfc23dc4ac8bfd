// What every ledger's Archives must do, and closing a season over it. An adapter's test includes this, and says how its
// ledger is made, as for LedgerContract.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include "adapters/memory/memory_rank_index.h"
#include "base/clock.h"
#include "leaderboards/archived_board.h"
#include "leaderboards/board_maker.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"
#include "leaderboards/season_closing.h"

namespace scoreline::leaderboards {

class ArchivesHarness {
 public:
  virtual ~ArchivesHarness() = default;
  virtual Ledger& ledger() = 0;
  virtual void reopen() = 0;
};

struct ArchivesMaker {
  std::string name;
  std::function<std::unique_ptr<ArchivesHarness>()> make;
  friend std::ostream& operator<<(std::ostream& out, const ArchivesMaker& maker) { return out << maker.name; }
};

inline const LeaderboardName kArcade = LeaderboardName::trusted("arcade");
inline constexpr SeasonId kFirst{1};
inline constexpr Timestamp kNow{1'000'000};

inline MatchResult played(std::uint64_t number, std::string player, std::int64_t points, std::int32_t season = 1,
                          std::int64_t at = 1'000) {
  Uuid match;
  for (std::size_t i = 0; i < 8; ++i) match.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
  return {kArcade, match, PlayerId::trusted(std::move(player)), {season}, points, {at}};
}

class ArchivesContract : public ::testing::TestWithParam<ArchivesMaker> {
 protected:
  void SetUp() override {
    harness_ = GetParam().make();
    Definition definition{kArcade};
    ASSERT_TRUE(ledger().put_definition(definition));
    ASSERT_TRUE(ledger().put_season(kArcade, {kFirst, Timestamp{0}, std::nullopt}));
    open();
  }

  void open() {
    catalogue_ = *Catalogue::open(ledger());
    index_ = std::make_unique<memory::MemoryRankIndex>(1);
    maker_ = std::make_unique<BoardMaker>(*catalogue_, ledger(), *index_, clock_, 1);
  }
  void reopen() {
    harness_->reopen();
    open();
  }

  Ledger& ledger() { return harness_->ledger(); }
  Archives& archives() { return ledger().archives(); }

  SeasonClosing closing(SeasonClosing::Reach reach = nullptr) {
    return SeasonClosing(
        *catalogue_, archives(), *maker_, *index_, [] { return std::make_unique<memory::MemoryRankIndex>(2); },
        [](const SeasonClosing::Work& work) { return work(); }, std::move(reach));
  }
  Result<void> close(SeasonId season = kFirst) {
    auto closing = this->closing();
    return closing.mark(kArcade, season, kNow).and_then([&] { return closing.archive(kArcade, season); });
  }

  Season season(SeasonId id = kFirst) {
    const auto record = catalogue_->find(kArcade.text());
    return *find_season(**record, id);
  }
  std::vector<ArchivedEntry> lines(SeasonId id = kFirst) { return archives().read(kArcade, id, 1, 100'000).value(); }

  void append(const std::vector<MatchResult>& batch) {
    const auto answers = ledger().append(batch).value();
    for (const Recorded answer : answers) ASSERT_EQ(answer, Recorded::recorded);
  }
  /// Best of each player, the order of a board: counted without any of our code.
  static std::vector<std::pair<std::string, std::int64_t>> recount(const std::vector<MatchResult>& results) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> best;  // points, earliest time negated
    for (const MatchResult& r : results) {
      const std::pair now{r.points, -r.achieved_at.ms};
      const auto [at, is_new] = best.emplace(r.player.text(), now);
      if (!is_new) at->second = std::max(at->second, now);
    }
    std::vector<std::tuple<std::int64_t, std::int64_t, std::string>> sorted;
    for (const auto& [player, standing] : best) sorted.emplace_back(standing.first, standing.second, player);
    std::sort(sorted.rbegin(), sorted.rend());
    std::vector<std::pair<std::string, std::int64_t>> order;
    for (const auto& [points, time, player] : sorted) order.emplace_back(player, points);
    return order;
  }
  void expect_archive(const std::vector<MatchResult>& results, SeasonId id = kFirst) {
    const auto expected = recount(results);
    const auto found = lines(id);
    ASSERT_EQ(found.size(), expected.size());
    EXPECT_EQ(season(id).players, expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].position, i + 1);
      EXPECT_EQ(found[i].entry.rank, i + 1);
      EXPECT_EQ(found[i].entry.player.text(), expected[i].first);
      EXPECT_EQ(found[i].entry.standing.points, expected[i].second);
    }
  }

  static std::vector<MatchResult> many(std::size_t count, std::size_t players, std::int32_t season = 1) {
    std::mt19937_64 random(7);
    std::vector<MatchResult> results;
    for (std::size_t i = 0; i < count; ++i) {
      results.push_back(played(1'000'000 * static_cast<std::uint64_t>(season) + i,
                               "p" + std::to_string(random() % players), static_cast<std::int64_t>(random() % 500),
                               season, static_cast<std::int64_t>(random() % 900'000)));
    }
    return results;
  }

  ManualClock clock_{kNow};
  std::unique_ptr<ArchivesHarness> harness_;
  std::unique_ptr<Catalogue> catalogue_;
  std::unique_ptr<memory::MemoryRankIndex> index_;
  std::unique_ptr<BoardMaker> maker_;
};

TEST_P(ArchivesContract, ClosedSeasonHasItsFinalStandingsAndTheStateAndPlayersToldAfterReopening) {
  const auto results = many(5'000, 2'500);
  append(results);
  ASSERT_TRUE(close());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(season().state, SeasonState::closed);
    EXPECT_EQ(season().end, kNow);
    expect_archive(results);
    reopen();
  }
}

TEST_P(ArchivesContract, AnArchiveHasTheCriteriaAndTheirOrder) {
  Definition definition{kArcade};
  definition.max_points = 1'000;
  definition.criteria = {{"whole", Order::ascending, 0, 0, std::numeric_limits<std::int64_t>::max()}};
  ASSERT_TRUE(catalogue_->put_definition(definition));
  std::vector<MatchResult> results{played(1, "alice", 10), played(2, "bob", 10), played(3, "carol", 10)};
  results[0].extra = 5;
  results[1].extra = (std::uint64_t{1} << 63) - 1;
  append(results);
  ASSERT_TRUE(close());
  for (int round = 0; round < 2; ++round) {
    std::vector<std::pair<std::string, std::uint64_t>> found;
    for (const ArchivedEntry& line : lines()) {
      found.emplace_back(line.entry.player.text(), line.entry.standing.extra);
    }
    EXPECT_THAT(found, ::testing::ElementsAre(std::pair("bob", results[1].extra), std::pair("alice", 5),
                                              std::pair("carol", 0)));
    const auto alice = archives().find(kArcade, kFirst, std::vector{PlayerId::trusted("alice")}).value();
    EXPECT_EQ(alice.at(0)->entry.standing.extra, 5u);
    reopen();
  }
}

TEST_P(ArchivesContract, MarkedSeasonRecordsNothingMore) {
  const auto before = played(1, "alice", 10);
  append({before});
  auto closing = this->closing();
  ASSERT_TRUE(closing.mark(kArcade, kFirst, kNow));
  EXPECT_EQ(season().state, SeasonState::closing);
  const std::vector batch{played(2, "bob", 99), before, played(3, "carol", 5, 2)};
  for (int round = 0; round < 2; ++round) {
    // What it took before is known still, and the other season takes its own.
    EXPECT_THAT(ledger().append(batch).value(),
                ::testing::ElementsAre(Recorded::season_closed, Recorded::duplicate,
                                       round == 0 ? Recorded::recorded : Recorded::duplicate));
    reopen();
  }
  std::size_t rows = 0;
  ASSERT_TRUE(ledger().scan([&](const LedgerRow&) { ++rows; }, [](ScanProgress) {}));
  EXPECT_EQ(rows, 2u);
}

TEST_P(ArchivesContract, ErasedPlayerOfAnOpenSeasonIsNotInItsArchive) {
  append({played(1, "alice", 10), played(2, "bob", 20), played(3, "carol", 30)});
  ASSERT_TRUE(ledger().erase_player(kArcade, PlayerId::trusted("bob"), Ledger::Erase::from_boards, {}));
  ASSERT_TRUE(close());
  ASSERT_EQ(lines().size(), 2u);
  EXPECT_EQ(lines()[1].entry.player.text(), "alice");
}

TEST_P(ArchivesContract, DeathAtAnyStepLeavesOneArchiveForWhoeverComesNext) {
  const auto results = many(3'000, 2'200);
  append(results);
  using Step = SeasonClosing::Step;
  for (const Step deadly : {Step::mark, Step::fold, Step::clear, Step::write, Step::finish}) {
    auto dying = closing([&](Step step) -> Result<void> {
      if (step == deadly) return fail(Code::internal, "dead");
      return {};
    });
    const auto died = dying.mark(kArcade, kFirst, kNow).and_then([&] { return dying.archive(kArcade, kFirst); });
    ASSERT_FALSE(died);
    EXPECT_EQ(season().state, deadly == Step::mark ? SeasonState::open : SeasonState::closing);
    EXPECT_TRUE(lines().empty()) << "an archive that is not finished was seen";
    reopen();
  }
  ASSERT_TRUE(close());
  expect_archive(results);
  // And it stays that one.
  EXPECT_EQ(close().error().code, Code::conflict);
  expect_archive(results);
}

TEST_P(ArchivesContract, AttemptThatWroteTooMuchIsClearedBeforeTheNextOne) {
  append({played(1, "alice", 10)});
  auto closing = this->closing();
  ASSERT_TRUE(closing.mark(kArcade, kFirst, kNow));
  {
    const auto writer = archives().begin(kArcade, kFirst).value();
    std::vector<ArchivedEntry> garbage;
    std::vector<ArchivedPlayer> players;
    for (std::uint64_t i = 1; i <= kArchivePiece; ++i) {
      garbage.push_back({i, {i, PlayerId::trusted("ghost" + std::to_string(i)), {1, {1}}}});
      players.push_back({garbage.back().entry.player, i});
    }
    ASSERT_TRUE(writer->add(garbage));
    ASSERT_TRUE(writer->add_players(players));
  }
  ASSERT_TRUE(closing.archive(kArcade, kFirst));
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].entry.player.text(), "alice");
  EXPECT_FALSE(archives().find(kArcade, kFirst, std::vector{PlayerId::trusted("ghost3")}).value()[0]);
}

TEST_P(ArchivesContract, ErasedPlayersLineStaysWithoutTheId) {
  append({played(1, "alice", 10), played(2, "bob", 20), played(3, "carol", 30)});
  ASSERT_TRUE(close());
  const PlayerId bob = PlayerId::trusted("bob");
  EXPECT_EQ(archives().anonymise(kArcade, bob).value(), 1u);
  EXPECT_EQ(archives().anonymise(kArcade, bob).value(), 0u);
  reopen();
  const auto found = lines();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[1].entry.player.text(), "");
  EXPECT_EQ(found[1].entry.rank, 2u);
  EXPECT_EQ(found[1].entry.standing.points, 20);
  EXPECT_FALSE(archives().find(kArcade, kFirst, std::vector{bob}).value()[0]);
  EXPECT_EQ(season().players, 3u);
  EXPECT_EQ(season().anonymous, 1u);
}

TEST_P(ArchivesContract, PlayerErasedWhileTheArchiveIsWrittenIsNotInIt) {
  append({played(1, "alice", 10), played(2, "bob", 20)});
  auto closing = this->closing([&](SeasonClosing::Step step) -> Result<void> {
    if (step != SeasonClosing::Step::finish) return {};
    const PlayerId bob = PlayerId::trusted("bob");
    return ledger()
        .erase_player(kArcade, bob, Ledger::Erase::from_ledger, {})
        .and_then([&](auto) { return archives().anonymise(kArcade, bob); })
        .map([](auto) {});
  });
  ASSERT_TRUE(closing.mark(kArcade, kFirst, kNow));
  EXPECT_EQ(closing.archive(kArcade, kFirst).error().code, Code::conflict);
  ASSERT_TRUE(close());
  ASSERT_EQ(lines().size(), 1u);
  EXPECT_EQ(lines()[0].entry.player.text(), "alice");
}

TEST_P(ArchivesContract, ArchiveAnswersReadsAsTheLiveBoardDid) {
  const auto results = many(4'000, 1'500);
  append(results);
  ASSERT_TRUE(maker_->make_missing([](ScanProgress) {}));
  const Board board = *catalogue_->board(kArcade.text(), kFirst);
  ASSERT_TRUE(close());
  const ArchivedBoard archived(archives(), season());
  const auto expect_same = [](const Page& archive, const Page& live) {
    EXPECT_EQ(archive.players, live.players);
    EXPECT_EQ(archive.entries, live.entries);
  };
  for (const std::uint64_t first : {1, 7, 1'400, 1'499, 5'000}) {
    expect_same(*archived.range(board, first, 100), *index_->range(board, first, 100));
  }
  std::vector<PlayerId> players;
  for (int i = 0; i < 1'600; i += 97) players.push_back(PlayerId::trusted("p" + std::to_string(i)));
  players.push_back(PlayerId::trusted("nobody"));
  EXPECT_EQ(archived.ranks_of(board, players).value(), index_->ranks_of(board, players).value());
  for (const PlayerId& player : players) {
    expect_same(*archived.around(board, player, 5), *index_->around(board, player, 5));
    const auto place = archived.place_of(board, player).value(), live = index_->place_of(board, player).value();
    ASSERT_EQ(place.has_value(), live.has_value());
    if (!place) continue;
    EXPECT_EQ(place->entry, live->entry);
    const Standing standing = live->entry.standing;
    expect_same(*archived.range_after(board, player, standing, 10), *index_->range_after(board, player, standing, 10));
    // A cursor of a player who has moved, or is gone.
    const Standing other{standing.points - 1, standing.achieved_at};
    expect_same(*archived.range_after(board, player, other, 10), *index_->range_after(board, player, other, 10));
  }
}

TEST_P(ArchivesContract, ClosedSeasonIsNotMadeAgain) {
  append({played(1, "alice", 10)});
  ASSERT_TRUE(close());
  append({played(2, "bob", 10, 2)});
  reopen();
  ASSERT_TRUE(maker_->make_missing([](ScanProgress) {}));
  EXPECT_EQ(index_->range(*catalogue_->board(kArcade.text(), kFirst), 1, 10)->players, 0u);
  EXPECT_EQ(index_->range(*catalogue_->board(kArcade.text(), SeasonId{2}), 1, 10)->players, 1u);
}

TEST_P(ArchivesContract, EmptySeasonClosesWithAnEmptyArchive) {
  ASSERT_TRUE(close());
  EXPECT_EQ(season().state, SeasonState::closed);
  EXPECT_TRUE(lines().empty());
}

TEST_P(ArchivesContract, SeasonThatNobodyOpenedCannotBeClosed) {
  EXPECT_EQ(closing().mark(kArcade, SeasonId{77}, kNow).error().code, Code::not_found);
}

TEST_P(ArchivesContract, DroppedLeaderboardTakesItsArchivesAlong) {
  append({played(1, "alice", 10)});
  ASSERT_TRUE(close());
  ASSERT_TRUE(ledger().drop_leaderboard(kArcade));
  ASSERT_TRUE(ledger().put_definition(Definition{kArcade}));
  ASSERT_TRUE(ledger().put_season(kArcade, {kFirst, std::nullopt, std::nullopt}));
  EXPECT_TRUE(lines().empty());
  append({played(1, "alice", 11)});
}

}  // namespace scoreline::leaderboards
