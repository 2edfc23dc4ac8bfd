#include "cli/command_line.h"

#include <gtest/gtest.h>

namespace scoreline::cli {
namespace {

Invocation parsed(const std::vector<std::string>& arguments) {
  auto invocation = parse_command_line(arguments);
  EXPECT_TRUE(invocation.has_value()) << (invocation ? "" : invocation.error().detail);
  return invocation ? std::move(*invocation) : Invocation{HelpCommand{}, false, {}, {}};
}

TEST(CommandLine, GlobalFlagsStandBeforeOrBehindTheCommand) {
  for (const auto& arguments : {std::vector<std::string>{"--json", "--data", "d", "top", "3"},
                                std::vector<std::string>{"top", "3", "--json", "--data", "d"}}) {
    const auto invocation = parsed(arguments);
    EXPECT_TRUE(invocation.json);
    EXPECT_EQ(invocation.settings.at("data"), "d");
    EXPECT_EQ(std::get<TopCommand>(invocation.command).count, 3U);
  }
}

TEST(CommandLine, DefaultsAreThoseOfTheDocumentation) {
  EXPECT_EQ(std::get<TopCommand>(parsed({"top"}).command).count, 10U);
  const auto import = std::get<ImportCommand>(parsed({"import", "x.csv"}).command);
  EXPECT_EQ(import.file, "x.csv");
  EXPECT_EQ(import.batch, 5'000U);
  EXPECT_EQ(import.rejected, "rejected.csv");
  EXPECT_EQ(import.into.leaderboard, "main");
  EXPECT_FALSE(import.into.season || import.format);
  const auto around = std::get<AroundCommand>(parsed({"around", "bob"}).command);
  EXPECT_EQ(around.radius, 5U);
  EXPECT_TRUE(parsed({"serve"}).settings.empty());
}

TEST(CommandLine, ServeSettingsAreKeysOfTheConfiguration) {
  const auto invocation = parsed({"serve", "--listen", "127.0.0.1:0", "--threads", "2", "--log-level", "warn",
                                  "--insecure-listen", "--config", "c"});
  EXPECT_EQ(invocation.settings,
            (std::map<std::string, std::string>{
                {"insecureListen", "true"}, {"listen", "127.0.0.1:0"}, {"logLevel", "warn"}, {"threads", "2"}}));
  EXPECT_EQ(invocation.config_file, "c");
}

TEST(CommandLine, AnIdThatLooksLikeAFlagGoesBehindTwoDashes) {
  EXPECT_EQ(std::get<RankCommand>(parsed({"rank", "--", "--json"}).command).player, "--json");
  EXPECT_FALSE(parsed({"rank", "--", "--json"}).json);
}

TEST(CommandLine, StandardInputIsADash) {
  const auto import = std::get<ImportCommand>(parsed({"import", "-", "--format", "jsonl", "-s", "0"}).command);
  EXPECT_EQ(import.file, "-");
  EXPECT_EQ(import.format, "jsonl");
  EXPECT_EQ(import.into.season, 0);
}

TEST(CommandLine, ProduceSendsAFileOrMadeUpResults) {
  const auto invocation = parsed({"produce", "x.jsonl", "--kafka", "a:1", "--topic", "t", "-l", "laps", "--rate", "5"});
  const auto file = std::get<ProduceCommand>(invocation.command);
  EXPECT_EQ(invocation.settings, (std::map<std::string, std::string>{{"kafka", "a:1"}, {"kafkaTopic", "t"}}));
  EXPECT_EQ(file.file, "x.jsonl");
  EXPECT_EQ(file.into.leaderboard, "laps");
  EXPECT_EQ(file.rate, 5);
  EXPECT_FALSE(file.generate || file.raw);
  const auto made_up = std::get<ProduceCommand>(
      parsed({"produce", "--generate", "9", "--players", "3", "--seed", "4", "--duplicates", "10", "-s", "2"}).command);
  EXPECT_EQ(made_up.generate, 9U);
  EXPECT_EQ(made_up.players, 3U);
  EXPECT_EQ(made_up.seed, 4U);
  EXPECT_EQ(made_up.duplicates, 10U);
  EXPECT_EQ(made_up.into.season, 2);
}

TEST(CommandLine, DeadLettersAreNamedByIdsOrAllOfThem) {
  using Deed = DeadLettersCommand::Deed;
  const auto of = [](const std::vector<std::string>& arguments) {
    return std::get<DeadLettersCommand>(parsed(arguments).command);
  };
  const auto list = of({"dead-letters", "list", "--after", "7", "--limit", "3"});
  EXPECT_EQ(list.deed, Deed::list);
  EXPECT_EQ(list.after, 7);
  EXPECT_EQ(list.limit, 3U);
  EXPECT_EQ(of({"dead-letters", "list"}).limit, 100U);
  EXPECT_EQ(of({"dead-letters", "show", "17"}).ids, std::vector<std::int64_t>{17});
  const auto some = of({"dead-letters", "replay", "17", "18"});
  EXPECT_EQ(some.deed, Deed::replay);
  EXPECT_EQ(some.ids, (std::vector<std::int64_t>{17, 18}));
  EXPECT_FALSE(some.all);
  const auto all = of({"dead-letters", "discard", "--all", "--server", "http://x"});
  EXPECT_EQ(all.deed, Deed::discard);
  EXPECT_TRUE(all.all && all.ids.empty());
  for (const std::vector<std::string>& wrong : {std::vector<std::string>{"dead-letters"},
                                                {"dead-letters", "replay"},
                                                {"dead-letters", "discard", "1", "--all"},
                                                {"dead-letters", "show", "1", "2"},
                                                {"dead-letters", "list", "--limit", "1001"},
                                                {"dead-letters", "replay", "99999999999999999999"}}) {
    const auto refused = parse_command_line(wrong);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::usage);
  }
}

TEST(CommandLine, ServeTakesTheKeysOfKafka) {
  const auto invocation =
      parsed({"serve", "--kafka", "a:1,b:2", "--topic", "t", "--kafka-group", "g", "--kafka-mode", "parallel",
              "--kafka-start", "latest", "--kafka-out-of-range", "earliest", "--kafka-settings", "a=b,c=d"});
  EXPECT_EQ(invocation.settings, (std::map<std::string, std::string>{{"kafka", "a:1,b:2"},
                                                                     {"kafkaGroup", "g"},
                                                                     {"kafkaMode", "parallel"},
                                                                     {"kafkaOutOfRange", "earliest"},
                                                                     {"kafkaSettings", "a=b,c=d"},
                                                                     {"kafkaStart", "latest"},
                                                                     {"kafkaTopic", "t"}}));
}

TEST(CommandLine, WhatDoesNotFitIsWrongUsage) {
  for (const auto& arguments : std::vector<std::vector<std::string>>{{},
                                                                     {"nonsense"},
                                                                     {"--json"},
                                                                     {"top", "0"},
                                                                     {"top", "1001"},
                                                                     {"top", "1", "2"},
                                                                     {"rank"},
                                                                     {"config"},
                                                                     {"import", "x", "--batch", "10001"},
                                                                     {"import", "x", "--format", "xml"},
                                                                     {"around", "a", "-r", "-1"},
                                                                     {"top", "-s", "-1"},
                                                                     {"top", "--listen", "x"},
                                                                     {"serve", "--listen"},
                                                                     {"produce", "x.csv", "--generate", "1"},
                                                                     {"produce", "x.csv", "--players", "10"},
                                                                     {"produce", "--generate", "1", "--raw"},
                                                                     {"produce", "--generate", "1", "--players", "1"},
                                                                     {"demo", "--rate", "0"}}) {
    const auto invocation = parse_command_line(arguments);
    ASSERT_FALSE(invocation.has_value()) << testing::PrintToString(arguments);
    EXPECT_EQ(invocation.error().code, Code::usage);
    EXPECT_EQ(invocation.error().detail.find('\n'), std::string::npos);
  }
}

TEST(CommandLine, HelpIsTextToShow) {
  EXPECT_NE(std::get<HelpCommand>(parsed({"--help"}).command).text.find("Exit codes"), std::string::npos);
  EXPECT_NE(std::get<HelpCommand>(parsed({"import", "--help"}).command).text.find("Examples"), std::string::npos);
}

}  // namespace
}  // namespace scoreline::cli
