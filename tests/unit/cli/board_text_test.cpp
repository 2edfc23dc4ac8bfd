#include "cli/board_text.h"

#include <gtest/gtest.h>

namespace scoreline::cli {
namespace {

TEST(DisplayWidth, CountsColumnsAndNotBytes) {
  EXPECT_EQ(display_width("bob"), 3U);
  EXPECT_EQ(display_width("José"), 4U);
  EXPECT_EQ(display_width("e\xCC\x81"), 1U);  // e and a combining accent
  EXPECT_EQ(display_width("漢字"), 4U);
  EXPECT_EQ(display_width("🏆"), 2U);
  EXPECT_EQ(display_width(""), 0U);
}

ShownBoard two_players() {
  return {12, 9, {{8, "漢字", "1200", "2026-10-12T18:00:00Z"}, {9, "bob", "-0.5", "2026-10-12T18:00:01Z"}}};
}

TEST(BoardTable, AlignsWideNames) {
  EXPECT_EQ(board_table(two_players(), "bob"),
            "  rank  player  points  achieved at\n"
            "     8  漢字      1200  2026-10-12T18:00:00Z\n"
            ">    9  bob       -0.5  2026-10-12T18:00:01Z\n"
            "season 12, 9 players\n");
}

TEST(BoardJson, KeepsPointsAsTheyAre) {
  auto board = two_players();
  board.entries[0].player = "say \"hi\"";
  board.entries[0].points = "9223372036854775807";
  board.entries.pop_back();
  EXPECT_EQ(board_json(board),
            R"({"season":12,"players":9,"entries":[{"rank":8,"playerId":"say \"hi\"","points":9223372036854775807,)"
            R"("achievedAt":"2026-10-12T18:00:00Z"}]})"
            "\n");
}

TEST(PlaceJson, TellsThePercentile) {
  auto board = two_players();
  board.entries.pop_back();
  board.percentile = "22.22";
  EXPECT_TRUE(place_json(board).starts_with(R"({"season":12,"players":9,"percentile":22.22,"rank":8,)"));
}

}  // namespace
}  // namespace scoreline::cli
