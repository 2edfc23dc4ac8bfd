// A shared server, two nodes on it, and one board with the ledger behind it that the test writes itself. What must
// always hold: an answer is right, or says that the board is not ready.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "support/model_board.h"
#include "support/process.h"
#include "support/redis_admin.h"
#include "support/redis_index.h"

namespace scoreline::test {

using leaderboards::Board;
using leaderboards::KeyKind;
using leaderboards::Offer;
using leaderboards::PlayerId;
using leaderboards::Ranks;

/// Any board of these tests: season 12 of `main`, the best result counts.
inline Board board_of(KeyKind kind) {
  return Board{{leaderboard("main"), leaderboards::SeasonId{12}},
               leaderboards::Rule::best,
               leaderboards::Order::descending,
               leaderboards::Ties::first,
               kind,
               Timestamp{}};
}

/// What one call said; nothing when it was done.
struct Told {
  std::string call;
  std::optional<Error> error;
};

/// Every call that reads or writes a board; the writes change nothing that is right.
inline std::vector<Told> ask_everything(leaderboards::RankIndex& index, const Board& board, const Offer& known) {
  std::vector<Told> told;
  const auto note = [&](std::string call, const auto& result) {
    told.push_back({std::move(call), result ? std::nullopt : std::optional(result.error())});
  };
  const PlayerId nobody = player("nobody");
  note("range", index.range(board, 1, 10));
  note("range_after", index.range_after(board, nobody, known.standing, 10));
  note("around", index.around(board, known.player, 5));
  note("place_of", index.place_of(board, known.player));
  note("standings", index.standings(board, {&known.player, 1}));
  note("ranks_of", index.ranks_of(board, {&known.player, 1}));
  note("apply", index.apply(board, {&known, 1}, Ranks::tell));
  note("erase", index.erase(board, {&nobody, 1}));
  return told;
}

/// Puts everything of the ledger in place of the board.
inline Result<void> finish_load(leaderboards::RankIndex& index, const Board& board, const ModelBoard& ledger) {
  auto entries = ledger.entries();
  if (board.order == leaderboards::Order::descending) std::reverse(entries.begin(), entries.end());
  auto next = entries.begin();
  return index.load(board, entries.size(), [&]() -> std::optional<Offer> {
    if (next == entries.end()) return std::nullopt;
    const auto& entry = *next++;
    return Offer{entry.player, entry.standing};
  });
}
inline Result<void> reload(leaderboards::RankIndex& index, const Board& board, const ModelBoard& ledger) {
  return index.begin_load(board).and_then([&] { return finish_load(index, board, ledger); });
}

/// The whole board as the ledger says, each entry by itself too.
inline void expect_as_ledger(leaderboards::RankIndex& index, const Board& board, const ModelBoard& ledger) {
  const auto page = index.range(board, 1, 1'000'000);
  ASSERT_TRUE(page) << page.error().detail;
  const auto expected = ledger.entries();
  EXPECT_EQ(page->players, expected.size());
  ASSERT_EQ(page->entries, expected);
  for (std::size_t i = 0; i < expected.size(); i += std::max<std::size_t>(1, expected.size() / 5)) {
    const auto place = index.place_of(board, expected[i].player);
    ASSERT_TRUE(place) << place.error().detail;
    ASSERT_TRUE(*place);
    EXPECT_EQ((*place)->entry, expected[i]);
  }
  EXPECT_TRUE(index.is_loaded(board).value());
}

/// Nothing when it went well.
template <typename T>
std::optional<Code> code_of(const Result<T>& result) {
  return result ? std::nullopt : std::optional(result.error().code);
}

using Where = std::tuple<Program, KeyKind>;

class IndexFaults : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    SKIP_UNLESS_INSTALLED(program());
    start();
  }

  /// A new server, and two nodes that have seen nothing yet.
  void start(std::vector<std::string> options = {}, redis::ClientOptions client = {}) {
    for (auto* const node : {&node_, &other_}) node->reset();
    server_.emplace(path_of(program()), std::move(options));
    for (auto* const node : {&node_, &other_}) node->emplace(url(), kOptions, client);
  }

  static Program program() { return std::get<Program>(GetParam()); }
  std::string url() const { return "redis://127.0.0.1:" + std::to_string(server_->port()); }
  /// A command as an operator or a stranger gives it.
  std::string admin(const std::string& words) const { return say_to(server_->port(), words); }
  leaderboards::RankIndex& index() { return *node_->index; }
  leaderboards::RankIndex& other() { return *other_->index; }

  static Offer offer(const std::string& id, std::int64_t points) { return {player(id), {points, Timestamp{0}}}; }

  /// A result that the ledger has, offered to the board.
  Result<bool> submit(leaderboards::RankIndex& to, const std::string& id, std::int64_t points) {
    ledger_.add(id, points, Timestamp{0});
    const Offer now{player(id), *ledger_.standing(id)};
    return to.apply(board_, {&now, 1}, Ranks::skip).map([](const auto& applied) { return applied.front().changed; });
  }
  /// Nine players that the ledger has.
  void fill_ledger() {
    for (int i = 0; i < 9; ++i) ledger_.add("p" + std::to_string(i), 10 + i, Timestamp{0});
  }
  /// A board of them that both nodes have read.
  void load_some() {
    fill_ledger();
    must(reload(index(), board_, ledger_));
    expect_right();
  }

  void expect_right() {
    expect_as_ledger(index(), board_, ledger_);
    expect_as_ledger(other(), board_, ledger_);
  }
  /// Nothing of the board is told or taken by either node, which say when to ask again.
  void expect_not_ready() {
    for (auto* const node : {&*node_, &*other_}) {
      for (const Told& told : ask_everything(*node->index, board_, offer("p3", 13))) {
        ASSERT_TRUE(told.error) << told.call;
        EXPECT_EQ(told.error->code, Code::not_ready) << told.call << ": " << told.error->detail;
        EXPECT_TRUE(told.error->retry_after) << told.call;
      }
      EXPECT_FALSE(node->index->is_loaded(board_).value());
    }
  }
  /// The same, and all is right once the other node has loaded the board, as it would by itself.
  void expect_lost_and_healed() {
    expect_not_ready();
    must(reload(other(), board_, ledger_));
    expect_right();
    EXPECT_TRUE(submit(index(), "p0", ledger_.standing("p0")->points + 1).value());
    expect_right();
  }

  inline static const redis::RankIndexOptions kOptions{.epoch = "ledger"};

  Board board_ = board_of(std::get<KeyKind>(GetParam()));
  ModelBoard ledger_{board_};
  std::optional<RedisServer> server_;
  std::optional<RedisNode> node_;
  std::optional<RedisNode> other_;
};

/// Refused for now, and told for how long: what a reader gets as 503.
template <typename T>
void expect_unavailable(const Result<T>& result) {
  ASSERT_FALSE(result);
  const Error& error = result.error();
  EXPECT_THAT(error.code, testing::AnyOf(Code::not_ready, Code::storage_failed, Code::overloaded, Code::storage_full))
      << traits(error.code).name << ": " << error.detail;
  EXPECT_TRUE(error.retry_after) << error.detail;
}

inline std::string name_of_where(const testing::TestParamInfo<Where>& where) {
  return name_of(std::get<Program>(where.param)) + "_" + std::string(to_string(std::get<KeyKind>(where.param)));
}

#define ON_EVERY_SERVER(suite)                                                                \
  INSTANTIATE_TEST_SUITE_P(Servers, suite,                                                    \
                           testing::Combine(testing::Values(Program::redis, Program::valkey), \
                                            testing::Values(KeyKind::wide, KeyKind::packed)), \
                           name_of_where)

/// For tests that take long: each server, each kind of board.
#define ON_BOTH_SERVERS(suite)                                                                                        \
  INSTANTIATE_TEST_SUITE_P(                                                                                           \
      Servers, suite, testing::Values(Where{Program::redis, KeyKind::wide}, Where{Program::valkey, KeyKind::packed}), \
      name_of_where)

}  // namespace scoreline::test
