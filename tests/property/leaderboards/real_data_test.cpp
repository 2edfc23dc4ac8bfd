// Forty thousand real results against boards that were computed independently (SCORELINE_TEST_DATA, or the folder
// data beside the checkout; skipped when it is not there).
#include <gtest/gtest.h>

#include <boost/json.hpp>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/limits.h"
#include "support/process.h"

namespace scoreline::leaderboards {
namespace {

namespace json = boost::json;
using ingest::Submission;

std::filesystem::path data_folder() {
  if (const char* const named = std::getenv("SCORELINE_TEST_DATA")) return named;
  return std::filesystem::path(SCORELINE_SOURCE_DIR).parent_path() / "shared" / "data";
}

std::int64_t number(std::string_view text) {
  std::int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

class RealDataTest : public testing::TestWithParam<Rule> {
 protected:
  void SetUp() override {
    const auto folder = data_folder() / "international-football";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no data in " << folder;
    std::ifstream csv(folder / "match-results.csv");
    std::string line;
    std::getline(csv, line);  // the column names
    while (std::getline(csv, line)) results_.push_back(read(line));
    std::stringstream expected;
    expected << std::ifstream(folder / "expected.json").rdbuf();
    expected_ = json::parse(expected.str()).as_object();
    ASSERT_TRUE(world_.put(test::with_rule("main", GetParam())));
  }

  /// No name in the file needs quoting.
  static Submission read(const std::string& line) {
    std::vector<std::string> columns;
    std::stringstream in(line);
    for (std::string column; std::getline(in, column, ',');) columns.push_back(column);
    Submission submission;
    submission.match_id = parse_uuid(columns.at(0)).value();
    submission.player_id = columns.at(1);
    submission.season_id = number(columns.at(2));
    submission.points = decimal_from(number(columns.at(3)));
    submission.achieved_at = test::at(columns.at(4));
    return submission;
  }

  /// How many were new.
  std::size_t import() {
    std::size_t fresh = 0;
    for (std::size_t from = 0; from < results_.size(); from += 1'000) {
      const auto begin = results_.begin() + static_cast<std::ptrdiff_t>(from);
      const auto count = static_cast<std::ptrdiff_t>(std::min<std::size_t>(1'000, results_.size() - from));
      const auto receipts = world_.pipeline().submit({begin, begin + count}, Ranks::skip).value();
      for (const auto& receipt : receipts) {
        EXPECT_TRUE(receipt);
        fresh += receipt->outcome != Outcome::duplicate ? 1 : 0;
      }
    }
    return fresh;
  }

  void shuffle() {
    for (std::size_t i = results_.size(); i > 1; --i) std::swap(results_[i - 1], results_[world_.random.below(i)]);
  }

  static std::vector<Entry> read(const json::array& expected) {
    std::vector<Entry> entries;
    for (const json::value& each : expected) {
      entries.push_back({each.at("rank").to_number<std::uint64_t>(),
                         test::player(std::string(each.at("playerId").as_string())),
                         {each.at("points").as_int64(), test::at(each.at("achievedAt").as_string())}});
    }
    return entries;
  }

  void expect_boards_of_all(const BoardRef& board) {
    const json::object& expected = expected_.at(to_string(GetParam())).as_object();
    const auto top = read(expected.at("top").as_array());
    const auto page = world_.service().top(board, top.size()).value();
    EXPECT_EQ(page.players, expected_.at("players").to_number<std::uint64_t>());
    EXPECT_EQ(page.entries, top);
    for (const auto& [name, around] : expected.at("around").as_object()) {
      EXPECT_EQ(test::entries(world_.service().around(board, test::player(std::string(name)), 5)),
                read(around.as_array()));
    }
  }

  void expect_board_of_2022() {
    const json::object& expected = expected_.at("season2022").as_object();
    const auto top = read(expected.at(to_string(GetParam())).as_array());
    const auto page = world_.service().top(world_.board("main", 2022), top.size()).value();
    EXPECT_EQ(page.players, expected.at("players").to_number<std::uint64_t>());
    EXPECT_EQ(page.entries, top);
  }

  test::World world_;
  std::vector<Submission> results_;
  json::object expected_;
};

TEST_P(RealDataTest, AsOneSeasonGivesTheExpectedBoardsTwiceOver) {
  for (Submission& submission : results_) submission.season_id = 12;
  EXPECT_EQ(import(), 39'980U);
  expect_boards_of_all(world_.board());
  EXPECT_EQ(import(), 0U);
  expect_boards_of_all(world_.board());
  world_.restart();
  expect_boards_of_all(world_.board());
}

TEST_P(RealDataTest, ShuffledGivesTheSame) {
  for (Submission& submission : results_) submission.season_id = 12;
  shuffle();
  EXPECT_EQ(import(), 39'980U);
  expect_boards_of_all(world_.board());
  shuffle();
  EXPECT_EQ(import(), 0U);
  expect_boards_of_all(world_.board());
}

TEST_P(RealDataTest, BySeasonGivesTheBoardOf2022) {
  shuffle();
  EXPECT_EQ(import(), 39'980U);
  expect_board_of_2022();
  world_.restart();
  expect_board_of_2022();
}

INSTANTIATE_TEST_SUITE_P(Rules, RealDataTest, testing::Values(Rule::best, Rule::sum),
                         [](const auto& rule) { return std::string(to_string(rule.param)); });

}  // namespace
}  // namespace scoreline::leaderboards
