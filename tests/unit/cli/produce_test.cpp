#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "cli/commands.h"
#include "http/result_reader.h"

namespace scoreline::cli {
namespace {

using std::chrono::milliseconds;

struct Sent {
  std::vector<std::pair<std::string, std::string>> messages;
  ingest::Deliveries deliveries;
  std::size_t refuse_from = SIZE_MAX;
};

/// Delivers everything at once, up to a point.
struct FakeSink final : ingest::MessageSink {
  explicit FakeSink(Sent& to) : sent(to) {}
  Result<void> send(std::string_view key, std::string_view value) override {
    if (sent.messages.size() >= sent.refuse_from) {
      ++sent.deliveries.failed;
      sent.deliveries.first_reason = "too big";
      return {};
    }
    sent.messages.emplace_back(key, value);
    ++sent.deliveries.sent;
    return {};
  }
  Result<void> flush(milliseconds) override { return {}; }
  const ingest::Deliveries& deliveries() const override { return sent.deliveries; }
  Sent& sent;
};

/// Alternates a good row and a bad one.
struct GoodAndBad final : ingest::ResultSource {
  Result<std::optional<ingest::SourceRow>> next() override {
    if (at == 4) return std::nullopt;
    ++at;
    ingest::SourceRow row{at + 1, "text", ingest::Submission{}};
    if (at % 2 == 0) {
      row.submission = tl::unexpected<Error>(Error{Code::invalid, "must be a number", "points", std::nullopt});
      return row;
    }
    row.submission->player_id = "p" + std::to_string(at);
    row.submission->points = decimal_from(12);
    row.submission->season_id = 3;
    return row;
  }
  std::string_view name_of(std::string_view) const override { return "POINTS"; }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }
  std::uint64_t at = 0;
};

class Produce : public testing::Test {
 protected:
  Result<int> run(const ProduceCommand& command) {
    Context context{.out = out,
                    .err = err,
                    .json = true,
                    .progress = false,
                    .clock = clock,
                    .random = random,
                    .wait =
                        [this](milliseconds pause) {
                          waited += pause;
                          clock.advance(pause);
                        },
                    .open_store = {},
                    .open_letters = {},
                    .open_folder = {},
                    .start_node = {},
                    .open_answerer = {},
                    .told_to_stop = {},
                    .open_source = [](const std::string&, const std::optional<std::string>&)
                        -> Result<std::unique_ptr<ingest::ResultSource>> { return std::make_unique<GoodAndBad>(); },
                    .open_message_sink = [this]() -> Result<std::unique_ptr<ingest::MessageSink>> {
                      return std::make_unique<FakeSink>(sent);
                    },
                    .open_rejected = {},
                    .open_result_sink = {},
                    .open_board_sink = {},
                    .configuration = {}};
    return run_produce(command, context);
  }

  static ProduceCommand made_up(std::uint64_t count) {
    ProduceCommand command;
    command.generate = count;
    command.players = 50;
    command.seed = 7;
    return command;
  }

  std::ostringstream out;
  std::ostringstream err;
  ManualClock clock{Timestamp{1'000'000}};
  SeededRandom random{1};
  Sent sent;
  milliseconds waited{0};
};

TEST_F(Produce, MadeUpResultsAreReadableAndKeyedByPlayer) {
  auto command = made_up(1'000);
  command.into.season = 12;
  EXPECT_EQ(run(command).value(), 0);
  ASSERT_EQ(sent.messages.size(), 1'000U);
  std::map<Uuid, int> matches;
  for (const auto& [key, value] : sent.messages) {
    const auto result = http::read_message_result(value);
    ASSERT_TRUE(result.has_value()) << value;
    EXPECT_EQ(result->player_id, key);
    EXPECT_EQ(result->season_id, 12);
    EXPECT_EQ(result->leaderboard, "main");
    EXPECT_TRUE(result->achieved_at.has_value());
    ++matches[result->match_id.value()];
  }
  EXPECT_EQ(matches.size(), 250U) << "four a match";
  EXPECT_EQ(out.str(), "{\"sent\":1000,\"failed\":0,\"rejected\":0}\n");
}

TEST_F(Produce, DuplicatesAreEarlierMessagesByteForByte) {
  auto command = made_up(10'000);
  command.duplicates = 20;
  EXPECT_EQ(run(command).value(), 0);
  ASSERT_EQ(sent.messages.size(), 10'000U);
  const std::set<std::pair<std::string, std::string>> distinct(sent.messages.begin(), sent.messages.end());
  std::set<std::pair<Uuid, std::string>> results;
  for (const auto& [key, value] : distinct) {
    results.emplace(http::read_message_result(value)->match_id.value(), key);
  }
  EXPECT_EQ(results.size(), distinct.size()) << "the same result never has other content";
  EXPECT_GT(distinct.size(), 7'700U);
  EXPECT_LT(distinct.size(), 8'300U);
}

TEST_F(Produce, TheLeaderboardIsInTheMessage) {
  auto command = made_up(4);
  command.into.leaderboard = "laps";
  EXPECT_EQ(run(command).value(), 0);
  EXPECT_EQ(http::read_message_result(sent.messages.at(0).second)->leaderboard, "laps");
}

TEST_F(Produce, KeepsThePaceAskedFor) {
  auto command = made_up(2'000);
  command.rate = 500;
  EXPECT_EQ(run(command).value(), 0);
  EXPECT_GE(waited, milliseconds{3'990});
  EXPECT_LE(waited, milliseconds{4'010});
}

TEST_F(Produce, BadRowsAreToldAndNotSent) {
  ProduceCommand command;
  command.file = "rows.csv";
  EXPECT_EQ(run(command).value(), 65);
  ASSERT_EQ(sent.messages.size(), 2U);
  EXPECT_EQ(sent.messages[0].first, "p1");
  EXPECT_EQ(sent.messages[0].second, R"({"playerId":"p1","seasonId":3,"points":12})");
  EXPECT_EQ(out.str(), "{\"sent\":2,\"failed\":0,\"rejected\":2}\n");
  EXPECT_NE(err.str().find(R"({"code":"invalid","detail":"line 3: must be a number","field":"POINTS"})"),
            std::string::npos)
      << err.str();
}

TEST_F(Produce, ASeasonStandsInPlaceOfTheRowsOwn) {
  ProduceCommand command;
  command.file = "rows.csv";
  command.into.season = 9;
  EXPECT_EQ(run(command).value(), 65);
  EXPECT_EQ(http::read_message_result(sent.messages.at(0).second)->season_id, 9);
}

TEST_F(Produce, WhatFailsIsCountedAndItsReasonTold) {
  sent.refuse_from = 7;
  EXPECT_EQ(run(made_up(10)).value(), 75);
  EXPECT_EQ(out.str(), "{\"sent\":7,\"failed\":3,\"rejected\":0}\n");
  EXPECT_NE(err.str().find("3 were not sent: too big"), std::string::npos) << err.str();
}

TEST_F(Produce, RawSendsEachLineAsItIs) {
  const auto path = std::filesystem::temp_directory_path() / ("produce_test_" + std::to_string(system_seed()));
  const std::string big(300'000, 'x');
  std::ofstream(path, std::ios::binary) << R"({"playerId":"alice","points":1})"
                                        << "\n\nnot json\n\xff\xfe\n"
                                        << big;
  ProduceCommand command;
  command.file = path.string();
  command.raw = true;
  EXPECT_EQ(run(command).value(), 0);
  std::filesystem::remove(path);
  const std::vector<std::pair<std::string, std::string>> expected{
      {"alice", R"({"playerId":"alice","points":1})"}, {"", ""}, {"", "not json"}, {"", "\xff\xfe"}, {"", big}};
  EXPECT_EQ(sent.messages, expected);
}

TEST_F(Produce, RawTellsWhatCannotBeRead) {
  ProduceCommand command;
  command.file = std::filesystem::temp_directory_path().string();
  command.raw = true;
  EXPECT_EQ(run(command).error().field, "FILE") << "a folder can be opened, and not be read";
}

TEST_F(Produce, NeedsAFileOrANumber) {
  EXPECT_EQ(run(ProduceCommand{}).error().code, Code::usage);
  auto both = made_up(1);
  both.file = "x.csv";
  EXPECT_EQ(run(both).error().code, Code::usage);
}

}  // namespace
}  // namespace scoreline::cli
