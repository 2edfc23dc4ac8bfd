#include "app/config.h"

#include <gtest/gtest.h>

#include "app/config_file.h"

namespace scoreline::app {
namespace {

TEST(ConfigLayers, TheLaterCoversTheEarlier) {
  const auto config = load_config({std::nullopt,
                                   {{"SCORELINE_LISTEN", "[::1]:9"}, {"SCORELINE_THREADS", "2"}, {"PATH", "/bin"}},
                                   {{"threads", "4"}}});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->address, "::1");
  EXPECT_EQ(config->port, 9);
  EXPECT_EQ(config->threads, 4U);
  EXPECT_EQ(config->origin_of("threads"), Origin::flag);
  EXPECT_EQ(config->origin_of("listen"), Origin::environment);
  EXPECT_EQ(config->origin_of("data"), Origin::built_in);
}

TEST(ConfigLayers, AFileThatIsNamedAndNotThereIsAnError) {
  EXPECT_EQ(load_config({"/no/such.toml", {}, {}}).error().code, Code::not_found);
  EXPECT_EQ(load_config({std::nullopt, {{"SCORELINE_DATA_FILE", "/no/such"}}, {}}).error().field,
            "SCORELINE_DATA_FILE");
}

TEST(ConfigLayers, AValueAndItsFileTogetherAreRefused) {
  const auto config = load_config({std::nullopt, {{"SCORELINE_DATA", "a"}, {"SCORELINE_DATA_FILE", "/dev/null"}}, {}});
  ASSERT_FALSE(config.has_value());
  EXPECT_EQ(config.error().code, Code::usage);
}

TEST(ConfigFileText, LeaderboardsHaveTheFieldsOfTheContract) {
  const auto file = read_config_file(
      "[leaderboards.laps]\nrule='least'\nscale=3\nties='last'\nkey='packed'\nminPoints='0.5'\nmaxPoints=3600\n"
      "grace='2h'\ntop=10\n[leaderboards.plain]\n",
      "test");
  ASSERT_TRUE(file.has_value()) << file.error().detail;
  ASSERT_EQ(file->leaderboards.size(), 2U);
  const auto& laps = file->leaderboards[0];
  EXPECT_EQ(laps.name.text(), "laps");
  EXPECT_EQ(laps.rule, leaderboards::Rule::least);
  EXPECT_EQ(laps.order, leaderboards::Order::ascending);
  EXPECT_EQ(laps.ties, leaderboards::Ties::last);
  EXPECT_EQ(laps.key, leaderboards::KeyKind::packed);
  EXPECT_EQ(laps.min_points, 500);
  EXPECT_EQ(laps.max_points, 3'600'000);
  EXPECT_EQ(laps.grace, std::chrono::hours{2});
  EXPECT_EQ(laps.top, 10);
  EXPECT_EQ(file->leaderboards[1], leaderboards::Definition{.name = leaderboards::LeaderboardName::trusted("plain")});
}

TEST(ConfigFileText, ADefinitionComesBackFromWhatIsPrinted) {
  const auto file = read_config_file(
      "[leaderboards.'a.b-c']\nrule='sum'\norder='asc'\nscale=9\nminPoints=\"-9223372036.854775808\"\ngrace='250ms'\n",
      "test");
  ASSERT_TRUE(file.has_value()) << file.error().detail;
  std::string printed;
  append_definition(printed, file->leaderboards.at(0));
  const auto again = read_config_file(printed, "printed");
  ASSERT_TRUE(again.has_value()) << again.error().detail;
  EXPECT_EQ(again->leaderboards, file->leaderboards);
}

TEST(ConfigFileText, ASyntaxErrorTellsLineAndColumn) {
  const auto file = read_config_file("a = 1\nb = = 2\n", "my.toml");
  ASSERT_FALSE(file.has_value());
  EXPECT_EQ(file.error().code, Code::usage);
  EXPECT_TRUE(file.error().detail.starts_with("my.toml:2:")) << file.error().detail;
}

TEST(Nearest, IsTheOneWithTheFewestChanges) {
  const std::vector<std::string_view> keys{"listen", "data", "logLevel", "threads"};
  EXPECT_EQ(nearest("lsten", keys), "listen");
  EXPECT_EQ(nearest("date", keys), "data");
  EXPECT_EQ(nearest("loglevel", keys), "logLevel");
  EXPECT_EQ(nearest("log-level", keys), "logLevel");
}

TEST(Print, HidesThePasswordOfAUrl) {
  for (const auto* url :
       {"http://user:secret@host:1", "http://secret@host", "http://a:secret@b@host/x@y",
        "postgresql://host/db?password=secret", "postgresql://host?user=u&sslpassword=secret&password=secret&a=b"}) {
    const auto config = load_config({std::nullopt, {}, {{"server", url}}});
    ASSERT_TRUE(config.has_value());
    EXPECT_EQ(print(*config, false).find("secret"), std::string::npos) << url;
    EXPECT_EQ(print(*config, true).find("secret"), std::string::npos) << url;
  }
}

TEST(Loopback, IsOnlyThisMachine) {
  EXPECT_TRUE(is_loopback("127.0.0.1"));
  EXPECT_TRUE(is_loopback("127.9.9.9"));
  EXPECT_TRUE(is_loopback("::1"));
  EXPECT_FALSE(is_loopback("0.0.0.0"));
  EXPECT_FALSE(is_loopback("::"));
  EXPECT_FALSE(is_loopback("192.168.0.1"));
}

}  // namespace
}  // namespace scoreline::app
