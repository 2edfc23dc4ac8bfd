// Boards of days and weeks go by themselves, with all that stands beside them.
#include "faults/redis/index_fixture.h"

namespace scoreline::test {
namespace {

class Expiry : public IndexFaults {
 protected:
  std::vector<std::string> all_keys() const {
    std::vector<std::string> keys;
    const redis::Reply found = ask_server(server_->port(), {"KEYS", "*"});
    for (const redis::Reply& key : found.elements) keys.push_back(key.text);
    return keys;
  }
  /// In how many ms a key goes; -1: never.
  std::int64_t goes_in(const std::string& key) const { return ask_server(server_->port(), {"PTTL", key}).integer; }
};
ON_EVERY_SERVER(Expiry);

TEST_P(Expiry, C31_EveryKeyOfADayGoesWithItsBoardAndNoneOfTheSeason) {
  board_.ties = leaderboards::Ties::dense;
  ledger_ = ModelBoard(board_);
  load_some();
  const std::size_t of_season = all_keys().size();
  for (const std::string& key : all_keys()) EXPECT_EQ(goes_in(key), -1) << key;

  constexpr std::int64_t kLives = 1'500;
  Board day = board_;
  day.id.period = leaderboards::Period{leaderboards::Period::Kind::day, 20'000};
  day.kept_until = Timestamp{node_->clock.now().ms + kLives};
  must(reload(index(), day, ledger_));
  const Offer better = offer("p3", 99);
  must(index().apply(day, {&better, 1}, Ranks::skip).map([](const auto&) {}));
  // A load that is under way when the day goes, with its own keys.
  must(other().begin_load(day));
  const PlayerId erased = player("p4");
  must(index().apply(day, {&better, 1}, Ranks::skip).map([](const auto&) {}));
  must(index().erase(day, {&erased, 1}).map([](std::uint64_t) {}));
  const auto keys = all_keys();
  EXPECT_GE(keys.size(), of_season + 6) << "the board, its meta and classes, the load's own, and who was erased";
  std::size_t going = 0;
  for (const std::string& key : keys) {
    const std::int64_t left = goes_in(key);
    EXPECT_TRUE(left == -1 || (left > 0 && left <= kLives)) << key << ": " << left;
    going += left > 0 ? 1 : 0;
  }
  EXPECT_EQ(going, keys.size() - of_season);
  EXPECT_TRUE(eventually([&] { return all_keys().size() == of_season; }));
  EXPECT_TRUE(index().is_loaded(board_).value());
  EXPECT_FALSE(index().is_loaded(day).value());
}

}  // namespace
}  // namespace scoreline::test
