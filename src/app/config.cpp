#include "app/config.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <fstream>
#include <iterator>

#include "app/config_file.h"
#include "http/json_text.h"

namespace scoreline::app {
namespace {

constexpr std::string_view kPrefix = "SCORELINE_";

struct Key {
  std::string_view name;
  std::string_view otherwise;
  enum class Kind { text, number, truth } kind;
};

constexpr std::array<Key, 17> kKeys{{{"data", "scoreline-data", Key::Kind::text},
                                     {"ledger", "", Key::Kind::text},
                                     {"index", "", Key::Kind::text},
                                     {"queues", "ledger:", Key::Kind::text},
                                     {"server", "", Key::Kind::text},
                                     {"listen", "127.0.0.1:8080", Key::Kind::text},
                                     {"insecureListen", "false", Key::Kind::truth},
                                     {"allowedHosts", "", Key::Kind::text},
                                     {"logLevel", "info", Key::Kind::text},
                                     {"threads", "0", Key::Kind::number},
                                     {"kafka", "", Key::Kind::text},
                                     {"kafkaTopic", "match-results", Key::Kind::text},
                                     {"kafkaGroup", "scoreline", Key::Kind::text},
                                     {"kafkaMode", "ledger-first", Key::Kind::text},
                                     {"kafkaStart", "earliest", Key::Kind::text},
                                     {"kafkaOutOfRange", "stop", Key::Kind::text},
                                     {"kafkaSettings", "", Key::Kind::text}}};

/// `logLevel` is SCORELINE_LOG_LEVEL.
std::string variable_of(std::string_view key) {
  std::string variable(kPrefix);
  for (const char c : key) {
    if (std::isupper(static_cast<unsigned char>(c)) != 0) variable.push_back('_');
    variable.push_back(static_cast<char>(std::toupper(static_cast<unsigned char>(c))));
  }
  return variable;
}

/// Variables that are not ours although they begin like ours: what a cluster sets beside a service called
/// `scoreline`, and what our own tests and benchmarks are steered by.
bool belongs_to_others(std::string_view variable) {
  variable.remove_prefix(kPrefix.size());
  return variable.starts_with("SERVICE_") || variable == "PORT" || variable.starts_with("PORT_") ||
         variable.starts_with("TEST_") || variable.starts_with("BENCH_") || variable == "LONG" || variable == "BINARY";
}

Error wrong(std::string detail, std::string_view field) {
  return {Code::usage, std::move(detail), std::string(field), std::nullopt};
}

Result<std::string> read_text_file(const std::string& path, std::string_view field) {
  std::ifstream file(path, std::ios::binary);
  std::string text;
  char bytes[4096];
  while (file.read(bytes, sizeof bytes) || file.gcount() > 0) {
    text.append(bytes, static_cast<std::size_t>(file.gcount()));
  }
  // A folder opens and fails only when it is read.
  if (!file.eof()) return fail(Code::not_found, fmt::format("cannot read '{}'", path), std::string(field));
  return text;
}

class Layers {
 public:
  Layers() {
    for (const auto& key : kKeys) settings_.push_back({std::string(key.name), std::string(key.otherwise), {}});
  }

  void set(std::size_t key, std::string value, Origin origin) {
    settings_[key].value = std::move(value);
    settings_[key].origin = origin;
  }

  Result<void> add_file(const std::map<std::string, std::string>& values) {
    std::vector<std::string_view> valid{"leaderboards"};
    for (const auto& key : kKeys) valid.push_back(key.name);
    for (const auto& [name, value] : values) {
      const auto key = std::ranges::find(kKeys, name, &Key::name);
      if (key == kKeys.end()) {
        return fail(wrong(fmt::format("there is no such key; did you mean '{}'?", nearest(name, valid)), name));
      }
      set(index(key), value, Origin::file);
    }
    return {};
  }

  Result<void> add_environment(const std::map<std::string, std::string>& environment) {
    std::vector<std::string> variables;
    for (const auto& key : kKeys) variables.push_back(variable_of(key.name));
    std::vector<std::string_view> valid(variables.begin(), variables.end());
    valid.push_back("SCORELINE_CONFIG");
    for (const auto& [name, value] : environment) {
      if (!name.starts_with(kPrefix) || belongs_to_others(name) || name == "SCORELINE_CONFIG") continue;
      const bool from_file = name.ends_with("_FILE");
      const std::string plain = from_file ? name.substr(0, name.size() - 5) : name;
      const auto known = std::ranges::find(variables, plain);
      if (known == variables.end()) {
        return fail(wrong(fmt::format("there is no such variable; did you mean '{}'?", nearest(name, valid)), name));
      }
      if (from_file && environment.contains(plain)) return fail(wrong("is set beside " + plain + ": use one", name));
      std::string text = value;
      if (from_file) {
        auto read = read_text_file(value, name);
        if (!read) return fail(std::move(read.error()));
        text = std::move(*read);
        while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
      }
      set(static_cast<std::size_t>(known - variables.begin()), std::move(text), Origin::environment);
    }
    return {};
  }

  void add_flags(const std::map<std::string, std::string>& flags) {
    for (const auto& [name, value] : flags) {
      const auto key = std::ranges::find(kKeys, name, &Key::name);
      SCORELINE_CHECK(key != kKeys.end());
      set(index(key), value, Origin::flag);
    }
  }

  const std::vector<Setting>& settings() const { return settings_; }
  const std::string& value(std::string_view name) const {
    return settings_[index(std::ranges::find(kKeys, name, &Key::name))].value;
  }

 private:
  static std::size_t index(decltype(kKeys)::const_iterator key) {
    return static_cast<std::size_t>(key - kKeys.begin());
  }

  std::vector<Setting> settings_;
};

template <typename Number>
Result<Number> parse_number(std::string_view text, std::string_view field, Number max) {
  Number value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || text.empty() || value > max) {
    return fail(wrong(fmt::format("'{}' must be a whole number from 0 to {}", text, max), field));
  }
  return value;
}

Result<void> read_listen(const std::string& text, Config& config) {
  const std::size_t colon = text.rfind(':');
  std::string host = text.substr(0, colon);
  if (colon == std::string::npos || host.empty()) {
    return fail(wrong(fmt::format("'{}' must be HOST:PORT, like 127.0.0.1:8080 or [::1]:8080", text), "listen"));
  }
  if (host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  if (host == "localhost") host = "127.0.0.1";
  auto port = parse_number<std::uint32_t>(std::string_view(text).substr(colon + 1), "listen", 65'535);
  if (!port) return fail(std::move(port.error()));
  config.address = std::move(host);
  config.port = static_cast<std::uint16_t>(*port);
  return {};
}

/// `a.example, b.example`
std::vector<std::string> words_of(std::string_view list) {
  std::vector<std::string> words;
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view word = list.substr(0, comma);
    while (word.starts_with(' ')) word.remove_prefix(1);
    while (word.ends_with(' ')) word.remove_suffix(1);
    if (!word.empty()) words.emplace_back(word);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return words;
}

/// Whether the key's value is the second word of two.
Result<bool> is_second(const Layers& layers, std::string_view key, std::string_view first, std::string_view second) {
  const std::string& value = layers.value(key);
  if (value == second) return true;
  if (value == first) return false;
  return fail(wrong(fmt::format("'{}' must be {} or {}", value, first, second), key));
}

Result<void> read_kafka(const Layers& layers, Config& config) {
  const auto parallel = is_second(layers, "kafkaMode", "ledger-first", "parallel");
  if (!parallel) return fail(parallel.error());
  const auto latest = is_second(layers, "kafkaStart", "earliest", "latest");
  if (!latest) return fail(latest.error());
  const auto restart = is_second(layers, "kafkaOutOfRange", "stop", "earliest");
  if (!restart) return fail(restart.error());
  auto passthrough = kafka::parse_passthrough(layers.value("kafkaSettings"));
  if (!passthrough) return fail(std::move(passthrough.error()));
  config.kafka_mode = *parallel ? KafkaMode::parallel : KafkaMode::ledger_first;
  config.kafka = {.brokers = layers.value("kafka"),
                  .topic = layers.value("kafkaTopic"),
                  .group = layers.value("kafkaGroup"),
                  .start = *latest ? kafka::Start::latest : kafka::Start::earliest,
                  .out_of_range = *restart ? kafka::OutOfRange::earliest : kafka::OutOfRange::stop,
                  .passthrough = std::move(*passthrough)};
  return {};
}

Result<Config> bind(const Layers& layers) {
  Config config;
  config.settings = layers.settings();
  config.data = layers.value("data");
  config.ledger = layers.value("ledger");
  config.index = layers.value("index");
  config.queues = layers.value("queues");
  config.server = layers.value("server");
  config.log_level = layers.value("logLevel");
  if (config.data.empty()) return fail(wrong("must name a folder", "data"));
  if (auto listen = read_listen(layers.value("listen"), config); !listen) return fail(std::move(listen.error()));
  const std::string& insecure = layers.value("insecureListen");
  if (insecure != "true" && insecure != "false") return fail(wrong("must be true or false", "insecureListen"));
  config.insecure_listen = insecure == "true";
  config.allowed_hosts = words_of(layers.value("allowedHosts"));
  constexpr std::array kLevels{"debug", "info", "warn", "error"};
  if (std::ranges::find(kLevels, config.log_level) == kLevels.end()) {
    return fail(wrong(fmt::format("'{}' must be debug, info, warn or error", config.log_level), "logLevel"));
  }
  auto threads = parse_number<unsigned>(layers.value("threads"), "threads", 1'024);
  if (!threads) return fail(std::move(threads.error()));
  config.threads = *threads;
  if (auto read = read_kafka(layers, config); !read) return fail(std::move(read.error()));
  return config;
}

const Key& key_of(const Setting& setting) { return *std::ranges::find(kKeys, setting.key, &Key::name); }

std::string as_literal(const Setting& setting) {
  if (key_of(setting).kind != Key::Kind::text) return setting.value;
  std::string quoted;
  if (setting.key == "kafkaSettings") {
    const auto passthrough = kafka::parse_passthrough(setting.value);
    SCORELINE_CHECK(passthrough.has_value());  // the configuration was bound
    http::append_quoted(quoted, kafka::redacted(*passthrough));
    return quoted;
  }
  http::append_quoted(quoted, redacted(setting.value));  // a JSON string is a TOML string too
  return quoted;
}

}  // namespace

std::string_view to_string(Origin origin) {
  switch (origin) {
    case Origin::built_in: return "default";
    case Origin::file: return "file";
    case Origin::environment: return "environment";
    case Origin::flag: return "flag";
  }
  return {};
}

Origin Config::origin_of(std::string_view key) const {
  const auto setting = std::ranges::find(settings, key, &Setting::key);
  SCORELINE_CHECK(setting != settings.end());
  return setting->origin;
}

Result<Config> load_config(const ConfigSources& sources) {
  Layers layers;
  std::vector<leaderboards::Definition> definitions;
  std::optional<std::string> path = sources.file;
  if (const auto named = sources.environment.find("SCORELINE_CONFIG"); !path && named != sources.environment.end()) {
    path = named->second;
  }
  if (path) {
    const auto text = read_text_file(*path, "config");
    if (!text) return fail(text.error());
    auto file = read_config_file(*text, *path);
    if (!file) return fail(std::move(file.error()));
    if (auto added = layers.add_file(file->values); !added) return fail(std::move(added.error()));
    definitions = std::move(file->leaderboards);
  }
  if (auto added = layers.add_environment(sources.environment); !added) return fail(std::move(added.error()));
  layers.add_flags(sources.flags);
  auto config = bind(layers);
  if (config) config->leaderboards = std::move(definitions);
  return config;
}

std::string redacted(std::string value) {
  const std::size_t scheme = value.find("://");
  if (scheme == std::string::npos) return value;
  const std::size_t begin = scheme + 3;
  const std::size_t at = value.substr(0, value.find('/', begin)).rfind('@');
  if (at != std::string::npos) value.replace(begin, at - begin, "***");
  constexpr std::string_view kSecret = "password=";
  for (std::size_t found = value.find('?'); (found = value.find(kSecret, found)) != std::string::npos;) {
    found += kSecret.size();
    value.replace(found, std::min(value.find('&', found), value.size()) - found, "***");
  }
  return value;
}

std::string print(const Config& config, bool json) {
  std::string out;
  if (json) {
    out.push_back('{');
    for (const auto& setting : config.settings) {
      fmt::format_to(std::back_inserter(out), R"("{}":{{"value":{},"from":"{}"}},)", setting.key, as_literal(setting),
                     to_string(setting.origin));
    }
    out.append(R"("leaderboards":[)");
    for (const auto& definition : config.leaderboards) {
      if (out.back() != '[') out.push_back(',');
      http::append_quoted(out, definition.name.text());
    }
    out.append("]}\n");
    return out;
  }
  for (const auto& setting : config.settings) {
    fmt::format_to(std::back_inserter(out), "{} = {}  # {}\n", setting.key, as_literal(setting),
                   to_string(setting.origin));
  }
  for (const auto& definition : config.leaderboards) append_definition(out, definition);
  return out;
}

bool is_loopback(std::string_view address) { return address == "::1" || address.starts_with("127."); }

}  // namespace scoreline::app
