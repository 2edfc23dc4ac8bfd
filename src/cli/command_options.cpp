#include "cli/command_options.h"

#include "base/limits.h"

namespace scoreline::cli {

void add_setting(CLI::App& app, const std::string& flag, const std::string& key, const std::string& help,
                 std::map<std::string, std::string>& settings, const std::string& type_name) {
  app.add_option_function<std::string>(
         flag, [&settings, key](const std::string& value) { settings[key] = value; }, help)
      ->type_name(type_name);
}

void add_board(CLI::App& app, BoardChoice& board, const std::string& season_help) {
  app.add_option("--leaderboard,-l", board.leaderboard, "The leaderboard")->capture_default_str()->type_name("NAME");
  app.add_option("--season,-s", board.season, season_help)
      ->type_name("S")
      ->check(CLI::Range(std::int64_t{0}, kMaxSeasonId));
}

void add_time(CLI::App& app, const std::string& flag, std::optional<Timestamp>& at, const std::string& help) {
  app.add_option_function<std::string>(
         flag, [&at](const std::string& text) { at = *parse_timestamp(text); }, help)
      ->type_name("TIME")
      ->check([](const std::string& text) {
        const auto parsed = parse_timestamp(text);
        return parsed ? std::string() : parsed.error().detail;
      });
}

void add_as_of(CLI::App& app, BoardChoice& board) {
  app.add_option_function<std::string>(
         "--as-of", [&board](const std::string& text) { board.as_of = *parse_timestamp(text); },
         "The board as it stood then, from the ledger")
      ->type_name("TIME")
      ->check([](const std::string& text) {
        const auto at = parse_timestamp(text);
        return at ? std::string() : at.error().detail;
      });
}

void add_period(CLI::App& app, BoardChoice& board) {
  app.add_option("--period", board.period, "season, day:2026-10-12, week:2026-W41; day and week are the current ones")
      ->type_name("PERIOD");
}

void add_serve_settings(CLI::App& app, std::map<std::string, std::string>& settings) {
  add_setting(app, "--listen", "listen", "Address and port; port 0 takes any free one", settings, "HOST:PORT");
  add_setting(app, "--log-level", "logLevel", "debug, info, warn or error", settings, "LEVEL");
  add_setting(app, "--threads", "threads", "Threads that answer requests; 0: one a core", settings, "N");
  add_setting(app, "--allowed-hosts", "allowedHosts", "Domains under which browsers may ask, separated by commas",
              settings, "NAMES");
  app.add_flag_callback(
      "--insecure-listen", [&settings] { settings["insecureListen"] = "true"; },
      "Allow an address that other machines reach, although anybody there may then write");
}

void add_kafka_settings(CLI::App& app, std::map<std::string, std::string>& settings) {
  add_setting(app, "--kafka", "kafka", "Brokers of Kafka: HOST:PORT, more of them behind commas", settings, "BROKERS");
  add_setting(app, "--topic", "kafkaTopic", "The topic (default: match-results)", settings, "TOPIC");
  add_setting(app, "--kafka-settings", "kafkaSettings", "key=value,key=value for librdkafka", settings, "SETTINGS");
}

void add_consumer_settings(CLI::App& app, std::map<std::string, std::string>& settings) {
  add_kafka_settings(app, settings);
  add_setting(app, "--kafka-group", "kafkaGroup", "Consumer group (default: scoreline)", settings, "GROUP");
  add_setting(app, "--kafka-mode", "kafkaMode", "ledger-first or parallel", settings, "MODE");
  add_setting(app, "--kafka-start", "kafkaStart", "Where a group that is new begins: earliest or latest", settings,
              "WHERE");
  add_setting(app, "--kafka-out-of-range", "kafkaOutOfRange",
              "When the broker no longer has the next message: stop or earliest", settings, "WHAT");
}

}  // namespace scoreline::cli
