// The configuration of one process: defaults < file (TOML) < environment (SCORELINE_*) < flags.
//
// An unknown key is an error that names the nearest valid one: a misspelt limit must not silently be no limit.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/kafka/kafka_settings.h"
#include "app/kafka_mode.h"
#include "base/error.h"
#include "leaderboards/definition.h"

namespace scoreline::app {

/// Where a value comes from, the stronger the later.
enum class Origin : std::uint8_t { built_in, file, environment, flag };

std::string_view to_string(Origin origin);

/// One key as `config print` shows it.
struct Setting {
  std::string key;
  std::string value;  ///< may hold a secret: see `print`
  Origin origin = Origin::built_in;
};

struct Config {
  std::string data;                        ///< folder of an embedded ledger
  std::string ledger;                      ///< URL; empty: embedded, in `data`
  std::string index;                       ///< URL; empty: in memory
  std::string queues;                      ///< URL; empty: jobs beside the ledger
  std::string server;                      ///< URL of a running server; empty: the data folder
  std::string address;                     ///< where to listen
  std::uint16_t port = 0;                  ///< 0: any free one
  std::vector<std::string> allowed_hosts;  ///< names under which browsers may ask, beside addresses
  bool insecure_listen = false;            ///< an address that other machines reach is allowed
  std::string log_level;                   ///< debug, info, warn, error
  unsigned threads = 0;                    ///< loops of the HTTP server; 0: one a core
  kafka::KafkaSettings kafka;              ///< without brokers: no results come through Kafka
  KafkaMode kafka_mode = KafkaMode::ledger_first;
  std::vector<leaderboards::Definition> leaderboards;

  std::vector<Setting> settings;  ///< all keys, in their order
  Origin origin_of(std::string_view key) const;
};

struct ConfigSources {
  std::optional<std::string> file;                 ///< path; else SCORELINE_CONFIG, else none
  std::map<std::string, std::string> environment;  ///< all variables; only SCORELINE_* are looked at
  std::map<std::string, std::string> flags;        ///< by key
};

/// Errors: Code::usage with the key as `field`; not_found or unreadable for the file.
Result<Config> load_config(const ConfigSources& sources);

/// As TOML that load_config reads again, with the origin of each value; or as JSON. Passwords in URLs and
/// secrets in `kafkaSettings` are not shown.
std::string print(const Config& config, bool json);

/// A URL to show: the password of `http://user:password@host` is hidden, and those behind it as `?password=…`.
std::string redacted(std::string url);

/// Whether only this machine reaches `address`.
bool is_loopback(std::string_view address);

}  // namespace scoreline::app
