#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "adapters/files/result_sinks.h"
#include "adapters/files/result_sources.h"
#include "base/decimal.h"
#include "leaderboards/criteria.h"
#include "support/scratch_folder.h"

namespace scoreline::files {
namespace {

Input input_of(std::string text) {
  return {[text = std::move(text), done = false](std::span<char> into) mutable -> Result<std::size_t> {
            if (done) return std::size_t{0};
            done = true;
            std::copy(text.begin(), text.end(), into.begin());
            return text.size();
          },
          std::nullopt};
}

Result<ingest::Submission> no_json(std::string_view) { return fail(Code::unreadable, "not asked for"); }

struct Row {
  std::uint64_t line;
  Result<ingest::Submission> submission;
};

std::vector<Row> rows_of(const std::string& text) {
  auto source = open_results(input_of(text), Format::csv, no_json);
  EXPECT_TRUE(source.has_value());
  std::vector<Row> rows;
  while (true) {
    auto row = (*source)->next();
    EXPECT_TRUE(row.has_value());
    if (!row || !*row) return rows;
    rows.push_back({(*row)->line, std::move((*row)->submission)});
  }
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return std::move(text).str();
}

TEST(CsvResults, ColumnsComeInAnyOrder) {
  const auto rows = rows_of(
      "achieved_at,points,season_id,player_id,match_id\n"
      "2026-10-12T18:00:00.25Z,12.50,7,\"Nuñez, Dario\",82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6\n");
  ASSERT_EQ(rows.size(), 1U);
  ASSERT_TRUE(rows[0].submission.has_value());
  const auto& result = *rows[0].submission;
  EXPECT_EQ(result.player_id, "Nuñez, Dario");
  EXPECT_EQ(result.points, parse_decimal("12.5").value());
  EXPECT_EQ(result.season_id, 7);
  EXPECT_EQ(format_timestamp(result.achieved_at.value()), "2026-10-12T18:00:00.250Z");
  EXPECT_EQ(format_uuid(result.match_id.value()), "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6");
  EXPECT_EQ(rows[0].line, 2U);
}

TEST(CsvResults, EmptyFieldsAreAbsent) {
  const auto rows = rows_of("player_id,points,match_id,season_id,achieved_at\nalice,1,,,\n");
  ASSERT_TRUE(rows.at(0).submission.has_value());
  EXPECT_FALSE(rows[0].submission->match_id || rows[0].submission->season_id || rows[0].submission->achieved_at);
}

TEST(CsvResults, ABadFieldIsNamedAsInTheHeader) {
  const std::vector<std::pair<std::string, std::string>> cases{{"alice,,,,", "points"},
                                                               {"alice,+1,,,", "points"},
                                                               {"alice,0x10,,,", "points"},
                                                               {"alice,Infinity,,,", "points"},
                                                               {"alice,1,zzz,,", "match_id"},
                                                               {"alice,1,,1.5,", "season_id"},
                                                               {"alice,1,,99999999999999999999,", "season_id"},
                                                               {"alice,1,,,2026-02-30T00:00:00Z", "achieved_at"}};
  for (const auto& [line, field] : cases) {
    const auto rows = rows_of("player_id,points,match_id,season_id,achieved_at\n" + line + "\n");
    ASSERT_EQ(rows.size(), 1U) << line;
    ASSERT_FALSE(rows[0].submission.has_value()) << line;
    EXPECT_EQ(rows[0].submission.error().field, field) << line;
    EXPECT_EQ(rows[0].submission.error().code, Code::invalid) << line;
  }
}

TEST(CsvResults, TooManyOrTooFewFieldsAreUnreadable) {
  for (const auto* line : {"alice", "alice,1,2"}) {
    const auto rows = rows_of(std::string("player_id,points\n") + line + "\nbob,2\n");
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].submission.error().code, Code::unreadable);
    EXPECT_TRUE(rows[1].submission.has_value());
  }
}

TEST(Formats, AreKnownByTheNamesEnding) {
  EXPECT_EQ(format_of("a.csv").value(), Format::csv);
  EXPECT_EQ(format_of("a.b.jsonl").value(), Format::jsonl);
  EXPECT_EQ(format_of("a.ndjson").value(), Format::jsonl);
  EXPECT_EQ(format_of("a.txt").error().code, Code::usage);
  EXPECT_EQ(format_of("-").error().code, Code::usage);
}

leaderboards::LedgerRow row_of(std::string_view player, std::int64_t points) {
  return {"main", leaderboards::SeasonId{3}, player, Uuid{}, points, Timestamp{250}};
}

leaderboards::Definition with_scale(int scale) {
  return {.name = leaderboards::LeaderboardName::trusted("main"), .scale = scale};
}

leaderboards::Definition with_criteria() {
  leaderboards::Definition definition = with_scale(0);
  definition.max_points = 1'000;
  definition.criteria = {{"winRate", leaderboards::Order::descending, 2, 0, 10'000},
                         {"matches", leaderboards::Order::ascending, 0, 1, 100}};
  return definition;
}

TEST(ResultSink, CriteriaAreTheLastColumnsAndComeBackTheSame) {
  const test::ScratchFolder folder;
  const std::string path = (folder.path() / "out.csv").string();
  leaderboards::LedgerRow row = row_of("alice", 10);
  const std::vector<leaderboards::CriterionValue> values{{"winRate", parse_decimal("61.5").value()},
                                                         {"matches", parse_decimal("40").value()}};
  row.extra = pack_criteria(with_criteria(), values).value();
  auto sink = open_result_sink(path, Format::csv, with_criteria());
  ASSERT_TRUE((*sink)->write(row).has_value());
  ASSERT_TRUE((*sink)->finish().has_value());
  EXPECT_EQ(content(path),
            "match_id,player_id,season_id,points,achieved_at,criteria.winRate,criteria.matches\n"
            "00000000-0000-0000-0000-000000000000,alice,3,10,1970-01-01T00:00:00.250Z,61.5,40\n");
  const auto rows = rows_of(content(path));
  ASSERT_TRUE(rows.at(0).submission.has_value());
  EXPECT_EQ(pack_criteria(with_criteria(), rows[0].submission->criteria).value(), row.extra);

  auto lines = open_result_sink(path, Format::jsonl, with_criteria());
  ASSERT_TRUE((*lines)->write(row).has_value());
  ASSERT_TRUE((*lines)->finish().has_value());
  EXPECT_NE(content(path).find(R"("achievedAt":"1970-01-01T00:00:00.250Z","criteria":{"winRate":61.5,"matches":40}})"),
            std::string::npos);
}

TEST(CsvResults, ACriterionIsAbsentBadOrThereTwice) {
  const auto rows = rows_of("player_id,points,criteria.winRate\nalice,1,\nbob,1,x\n");
  ASSERT_TRUE(rows.at(0).submission.has_value());
  EXPECT_TRUE(rows[0].submission->criteria.empty());
  ASSERT_FALSE(rows.at(1).submission.has_value());
  EXPECT_EQ(rows[1].submission.error().field, "criteria.winRate");
  const auto twice = open_results(input_of("player_id,points,criteria.a,criteria.a\n"), Format::csv, no_json);
  ASSERT_FALSE(twice.has_value());
  EXPECT_EQ(twice.error().field, "criteria.a");
}

TEST(BoardSink, CriteriaAreTheLastColumns) {
  const test::ScratchFolder folder;
  const std::string path = (folder.path() / "board.csv").string();
  const std::vector<ingest::ShownCriterion> criteria{{"winRate", "61.5"}, {"matches", "40"}};
  auto sink = open_board_sink(path, Format::csv);
  ASSERT_TRUE((*sink)->write({1, "alice", "10", Timestamp{250}, criteria}).has_value());
  ASSERT_TRUE((*sink)->finish().has_value());
  EXPECT_EQ(content(path),
            "rank,player_id,points,achieved_at,criteria.winRate,criteria.matches\n"
            "1,alice,10,1970-01-01T00:00:00.250Z,61.5,40\n");
  auto lines = open_board_sink(path, Format::jsonl);
  ASSERT_TRUE((*lines)->write({1, "alice", "10", Timestamp{250}, criteria}).has_value());
  ASSERT_TRUE((*lines)->finish().has_value());
  EXPECT_EQ(content(path), R"({"rank":1,"playerId":"alice","points":10,"achievedAt":"1970-01-01T00:00:00.250Z",)"
                           R"("criteria":{"winRate":61.5,"matches":40}})"
                           "\n");
  auto empty = open_board_sink(path, Format::csv);
  ASSERT_TRUE((*empty)->finish().has_value());
  EXPECT_EQ(content(path), "rank,player_id,points,achieved_at\n");
}

TEST(ResultSink, WritesWhatTheSourceReads) {
  const test::ScratchFolder folder;
  const std::string path = (folder.path() / "out.csv").string();
  auto sink = open_result_sink(path, Format::csv, with_scale(2));
  ASSERT_TRUE(sink.has_value());
  ASSERT_TRUE((*sink)->write(row_of("say \"hi\", 漢字", 1250)).has_value());
  ASSERT_TRUE((*sink)->finish().has_value());
  EXPECT_EQ(content(path),
            "match_id,player_id,season_id,points,achieved_at\n"
            "00000000-0000-0000-0000-000000000000,\"say \"\"hi\"\", 漢字\",3,12.5,1970-01-01T00:00:00.250Z\n");
  const auto rows = rows_of(content(path));
  EXPECT_EQ(rows.at(0).submission->player_id, "say \"hi\", 漢字");
}

TEST(ResultSink, EscapesJson) {
  const test::ScratchFolder folder;
  const std::string path = (folder.path() / "out.jsonl").string();
  auto sink = open_result_sink(path, Format::jsonl, with_scale(0));
  ASSERT_TRUE((*sink)->write(row_of("\"a\\b\"", -1)).has_value());
  ASSERT_TRUE((*sink)->finish().has_value());
  EXPECT_EQ(content(path),
            R"({"matchId":"00000000-0000-0000-0000-000000000000","playerId":"\"a\\b\"","seasonId":3,"points":-1,)"
            R"("achievedAt":"1970-01-01T00:00:00.250Z"})"
            "\n");
}

TEST(ResultSink, AFullDiskIsTold) {
  auto sink = open_result_sink("/dev/full", Format::csv, with_scale(0));
  ASSERT_TRUE(sink.has_value());
  const auto finished = (*sink)->finish();
  ASSERT_FALSE(finished.has_value());
  EXPECT_EQ(finished.error().code, Code::storage_full);
}

TEST(RejectedSink, MakesItsFileWithTheFirstRow) {
  const test::ScratchFolder folder;
  const std::string path = (folder.path() / "rejected.csv").string();
  const auto sink = rejected_sink(path);
  ASSERT_TRUE(sink->flush().has_value());
  EXPECT_FALSE(std::filesystem::exists(path));
  ASSERT_TRUE(sink->write({7, Error{Code::invalid, "is wrong, very", "points", {}}, "a,\"b\""}).has_value());
  ASSERT_TRUE(sink->flush().has_value());
  EXPECT_EQ(content(path), "line,code,field,detail,text\n7,invalid,points,\"is wrong, very\",\"a,\"\"b\"\"\"\n");
}

TEST(OpenInput, TellsWhatIsNotThere) {
  EXPECT_EQ(open_input("/no/such/file.csv").error().code, Code::not_found);
  const auto folder = open_input("/tmp");
  ASSERT_TRUE(folder.has_value());
  char byte = 0;
  EXPECT_EQ(folder->read(std::span(&byte, 1)).error().code, Code::unreadable);
}

}  // namespace
}  // namespace scoreline::files
