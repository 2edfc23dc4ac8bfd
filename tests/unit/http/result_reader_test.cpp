#include "http/result_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace scoreline::http {
namespace {

TEST(ResultReader, ReadsOneResultWithEveryField) {
  const auto batch = read_json_results(
      R"({"matchId":"82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6","playerId":"alice","seasonId":12,"points":9007199254740993,)"
      R"("achievedAt":"2026-10-12T18:00:00Z"})",
      "weekly");
  ASSERT_TRUE(batch);
  EXPECT_TRUE(batch->single);
  ASSERT_EQ(batch->submissions.size(), 1U);
  const ingest::Submission& result = batch->submissions.front();
  EXPECT_EQ(result.leaderboard, "weekly");
  EXPECT_EQ(format_uuid(*result.match_id), "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6");
  EXPECT_EQ(result.player_id, "alice");
  EXPECT_EQ(result.season_id, 12);
  EXPECT_EQ(to_scaled(result.points, 0), 9007199254740993);
  EXPECT_EQ(result.achieved_at, parse_timestamp("2026-10-12T18:00:00Z").value());
}

TEST(ResultReader, LeavesAbsentFieldsToThePipeline) {
  const auto batch = read_json_results(R"({"playerId":42,"points":-0})", "main");
  ASSERT_TRUE(batch);
  const ingest::Submission& result = batch->submissions.front();
  EXPECT_EQ(result.player_id, "42");
  EXPECT_EQ(result.points, Decimal{});
  EXPECT_FALSE(result.match_id);
  EXPECT_FALSE(result.season_id);
  EXPECT_FALSE(result.achieved_at);
}

TEST(ResultReader, NamesTheFieldThatIsWrong) {
  const std::vector<std::pair<std::string, std::string>> corpus = {
      {R"({})", "playerId"},
      {R"({"playerId":"a"})", "points"},
      {R"({"points":1})", "playerId"},
      {R"({"playerId":"a","points":"NaN"})", "points"},
      {R"({"playerId":"a","points":"Infinity"})", "points"},
      {R"({"playerId":"a","points":"1e2"})", "points"},
      {R"({"playerId":"a","points":1e300})", "points"},
      {R"({"playerId":"a","points":1e400})", "points"},
      {R"({"playerId":"a","points":null})", "points"},
      {R"({"playerId":"a","points":true})", "points"},
      {R"({"playerId":"a","points":[1]})", "points"},
      {R"({"playerId":1.5,"points":1})", "playerId"},
      {R"({"playerId":null,"points":1})", "playerId"},
      {R"({"playerId":"a","points":1,"seasonId":"12"})", "seasonId"},
      {R"({"playerId":"a","points":1,"seasonId":1.5})", "seasonId"},
      {R"({"playerId":"a","points":1,"matchId":"x"})", "matchId"},
      {R"({"playerId":"a","points":1,"matchId":7})", "matchId"},
      {R"({"playerId":"a","points":1,"achievedAt":"yesterday"})", "achievedAt"},
      {R"({"playerId":"a","points":1,"achievedAt":"2026-02-30T00:00:00Z"})", "achievedAt"},
      {R"({"playerId":"a","points":1,"achievedAt":1760292000})", "achievedAt"},
      {R"({"playerId":"a","points":1,"score":1})", "score"},
      {R"({"playerId":"a","points":1,"is_admin":true})", "is_admin"},
  };
  for (const auto& [body, field] : corpus) {
    const auto batch = read_json_results(body, "main");
    ASSERT_TRUE(batch) << body;
    ASSERT_EQ(batch->rejected.size(), 1U) << body;
    EXPECT_EQ(batch->rejected.front().error.code, Code::invalid) << body;
    EXPECT_EQ(batch->rejected.front().error.field, field) << body;
  }
}

TEST(ResultReader, GoesOnAfterAResultThatIsWrong) {
  const auto batch = read_json_results(
      R"({"results":[{"playerId":"a","points":1},7,{"playerId":"b"},{"playerId":"c","points":3}]})", "main");
  ASSERT_TRUE(batch);
  EXPECT_FALSE(batch->single);
  EXPECT_EQ(batch->places, (std::vector<std::size_t>{0, 3}));
  ASSERT_EQ(batch->rejected.size(), 2U);
  EXPECT_EQ(batch->rejected[0].index, 1U);
  EXPECT_EQ(batch->rejected[1].index, 2U);
  EXPECT_EQ(batch->rejected[1].error.field, "points");
}

TEST(ResultReader, RefusesABatchThatIsNone) {
  EXPECT_EQ(read_json_results("{\"results\":[", "main").error().code, Code::unreadable);
  EXPECT_EQ(read_json_results(R"({"results":{}})", "main").error().field, "results");
  EXPECT_EQ(read_json_results(R"({"results":[],"dryRun":true})", "main").error().field, "dryRun");
  EXPECT_TRUE(read_json_results(R"({"results":[]})", "main")->submissions.empty());
  EXPECT_EQ(read_json_results("[]", "main")->rejected.front().error.code, Code::invalid);
}

TEST(ResultReader, ReadsALineAResult) {
  const auto batch = read_ndjson_results(
      "{\"playerId\":\"a\",\"points\":1}\r\n\n  \n{\"playerId\":\n{\"playerId\":\"b\",\"points\":2}", "main");
  ASSERT_TRUE(batch);
  EXPECT_EQ(batch->places, (std::vector<std::size_t>{0, 2}));
  ASSERT_EQ(batch->rejected.size(), 1U);
  EXPECT_EQ(batch->rejected[0].index, 1U);
  EXPECT_EQ(batch->rejected[0].error.code, Code::unreadable);
  EXPECT_TRUE(read_ndjson_results("", "main")->submissions.empty());
}

TEST(ResultReader, HoldsTheLimitOfABatch) {
  const std::string one = R"({"playerId":"a","points":1})";
  std::string lines;
  std::string array = R"({"results":[)";
  for (std::size_t i = 0; i < kMaxBatch; ++i) {
    lines += one + "\n";
    array += (i == 0 ? "" : ",") + one;
  }
  EXPECT_EQ(read_ndjson_results(lines, "main")->submissions.size(), kMaxBatch);
  EXPECT_EQ(read_json_results(array + "]}", "main")->submissions.size(), kMaxBatch);
  EXPECT_EQ(read_ndjson_results(lines + one, "main").error().code, Code::too_many);
  EXPECT_EQ(read_json_results(array + "," + one + "]}", "main").error().code, Code::too_many);
}

}  // namespace
}  // namespace scoreline::http
