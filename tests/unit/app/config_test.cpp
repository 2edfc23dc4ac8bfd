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
      "grace='2h'\ntop=10\nperiods=['day','week']\ntimeZone='Europe/Berlin'\nweekStart='sunday'\nkeepDays=7\n"
      "keepWeeks=1\nseasonEvery='19d6h'\nseasonFrom='2026-10-01T00:00:00Z'\n[leaderboards.plain]\n",
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
  EXPECT_EQ(laps.periods,
            (leaderboards::PeriodRules{true, true, "Europe/Berlin", leaderboards::Weekday::sunday, 7, 1}));
  EXPECT_EQ(laps.schedule.every, std::chrono::hours{19 * 24 + 6});
  EXPECT_EQ(laps.schedule.from, parse_timestamp("2026-10-01T00:00:00Z").value());
  EXPECT_EQ(file->leaderboards[1], leaderboards::Definition{.name = leaderboards::LeaderboardName::trusted("plain")});
}

TEST(ConfigFileText, ADefinitionComesBackFromWhatIsPrinted) {
  const auto file = read_config_file(
      "[leaderboards.'a.b-c']\nrule='sum'\norder='asc'\nscale=9\nminPoints=\"-9223372036.854775808\"\ngrace='250ms'\n"
      "periods=['week']\ntimeZone='Asia/Kathmandu'\nseasonCron='30 2 * * mon'\nseasonFrom='2026-10-01T00:00:00Z'\n",
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

Result<Config> with_kafka(const std::string& key, const std::string& value) {
  return load_config({std::nullopt, {}, {{key, value}}});
}

TEST(KafkaKeys, AreOffWithoutBrokersAndHaveDefaults) {
  const auto config = load_config({std::nullopt, {}, {}});
  ASSERT_TRUE(config.has_value());
  EXPECT_EQ(config->kafka.brokers, "");
  EXPECT_EQ(config->kafka.topic, "match-results");
  EXPECT_EQ(config->kafka.group, "scoreline");
  EXPECT_EQ(config->kafka.start, kafka::Start::earliest);
  EXPECT_EQ(config->kafka.out_of_range, kafka::OutOfRange::stop);
  EXPECT_TRUE(config->kafka.passthrough.empty());
  EXPECT_EQ(config->kafka_mode, KafkaMode::ledger_first);
}

TEST(KafkaKeys, ComeFromEachLayer) {
  const auto config = load_config({std::nullopt,
                                   {{"SCORELINE_KAFKA", "a:1,b:2"},
                                    {"SCORELINE_KAFKA_TOPIC", "results"},
                                    {"SCORELINE_KAFKA_OUT_OF_RANGE", "earliest"},
                                    {"SCORELINE_KAFKA_SETTINGS", "security.protocol=ssl, fetch.max.bytes = 1000000"}},
                                   {{"kafkaGroup", "g"}, {"kafkaMode", "parallel"}, {"kafkaStart", "latest"}}});
  ASSERT_TRUE(config.has_value()) << config.error().detail;
  EXPECT_EQ(config->kafka.brokers, "a:1,b:2");
  EXPECT_EQ(config->kafka.topic, "results");
  EXPECT_EQ(config->kafka.group, "g");
  EXPECT_EQ(config->kafka.start, kafka::Start::latest);
  EXPECT_EQ(config->kafka.out_of_range, kafka::OutOfRange::earliest);
  EXPECT_EQ(config->kafka.passthrough,
            (kafka::Passthrough{{"security.protocol", "ssl"}, {"fetch.max.bytes", "1000000"}}));
  EXPECT_EQ(config->kafka_mode, KafkaMode::parallel);
}

TEST(KafkaKeys, WrongWordsAreRefusedWithTheRightOnes) {
  EXPECT_EQ(with_kafka("kafkaMode", "fast").error().detail, "'fast' must be ledger-first or parallel");
  EXPECT_EQ(with_kafka("kafkaMode", "fast").error().field, "kafkaMode");
  EXPECT_EQ(with_kafka("kafkaStart", "now").error().detail, "'now' must be earliest or latest");
  EXPECT_EQ(with_kafka("kafkaOutOfRange", "").error().detail, "'' must be stop or earliest");
  const auto settings = with_kafka("kafkaSettings", "sasl.password=pass,word");
  ASSERT_FALSE(settings.has_value());
  EXPECT_EQ(settings.error().code, Code::usage);
  EXPECT_EQ(settings.error().field, "kafkaSettings");
  EXPECT_EQ(settings.error().detail, "entry 2 is no key=value; write a comma within a value twice");
}

TEST(KafkaKeys, SecretsAreNotPrinted) {
  const auto config =
      with_kafka("kafkaSettings",
                 "sasl.username=game,sasl.password=se,,cret,ssl.key.location=/k.pem,ssl.key.pem=secret,"
                 "ssl.key.password=secret,sasl.oauthbearer.client.secret=secret,ssl.keystore.password=secret,"
                 "sasl.jaas.config=password=secret");
  ASSERT_TRUE(config.has_value()) << config.error().detail;
  EXPECT_EQ(config->kafka.passthrough.at("sasl.password"), "se,cret");
  for (const bool json : {false, true}) {
    const std::string printed = print(*config, json);
    EXPECT_EQ(printed.find("secret,"), std::string::npos);
    EXPECT_EQ(printed.find("=secret"), std::string::npos);
    EXPECT_EQ(printed.find("cret,ssl"), std::string::npos);
    EXPECT_NE(printed.find("sasl.username=game"), std::string::npos) << printed;
    EXPECT_NE(printed.find("sasl.password=***"), std::string::npos) << printed;
    EXPECT_NE(printed.find("ssl.key.location=/k.pem"), std::string::npos) << printed;
  }
}

TEST(KafkaKeys, SettingsComeBackFromWhatIsPrinted) {
  const auto config = with_kafka("kafkaSettings", "a=1,,2,b=,,");
  ASSERT_TRUE(config.has_value()) << config.error().detail;
  EXPECT_EQ(config->kafka.passthrough, (kafka::Passthrough{{"a", "1,2"}, {"b", ","}}));
  EXPECT_EQ(kafka::parse_passthrough(kafka::redacted(config->kafka.passthrough)), config->kafka.passthrough);
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
