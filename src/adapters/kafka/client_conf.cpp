#include "adapters/kafka/client_conf.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace scoreline::kafka {
namespace {

struct OwnedKey {
  std::string_view key;
  std::string_view right;
};

/// What exactness rests on, and what has a setting of its own.
constexpr std::array kOwned{
    OwnedKey{"bootstrap.servers", "set kafka"},
    OwnedKey{"metadata.broker.list", "set kafka"},
    OwnedKey{"group.id", "set kafkaGroup"},
    OwnedKey{"auto.offset.reset", "set kafkaStart and kafkaOutOfRange"},
    OwnedKey{"enable.auto.commit", "offsets are committed once results are in the ledger"},
    OwnedKey{"auto.commit.enable", "offsets are committed once results are in the ledger"},
    OwnedKey{"enable.auto.offset.store", "offsets are committed once results are in the ledger"},
    OwnedKey{"partition.assignment.strategy", "it is range"},
    OwnedKey{"group.protocol", "it is classic"},
    OwnedKey{"enable.partition.eof", "it is on"},
    OwnedKey{"allow.auto.create.topics", "topics are made by whoever runs the brokers"},
    OwnedKey{"enable.idempotence", "it is on"},
};

tl::unexpected<Error> refused(std::string detail) { return fail(Code::usage, std::move(detail), "kafkaSettings"); }

/// librdkafka takes a list with nothing in it, a URL as a host, and port 99999 as 34463; then it waits for ever.
Result<void> check_brokers(std::string_view list) {
  constexpr unsigned kMaxPort = 65'535;
  const auto wrong = [](std::string_view broker) {
    return fail(Code::usage, "'" + std::string(broker) + "' must be host:port of a broker, or several behind commas",
                "kafka");
  };
  for (bool more = true; more;) {
    const std::size_t comma = list.find(',');
    more = comma != list.npos;
    std::string_view broker = list.substr(0, comma);
    list.remove_prefix(more ? comma + 1 : list.size());
    for (const std::string_view protocol : {"PLAINTEXT://", "SSL://", "SASL_PLAINTEXT://", "SASL_SSL://"}) {
      if (broker.starts_with(protocol)) broker.remove_prefix(protocol.size());
    }
    const std::size_t colon = broker.rfind(':');
    if (broker.empty() || colon == 0 || broker.find_first_of("/@") != broker.npos) return wrong(broker);
    if (colon == broker.npos || broker.ends_with(']')) continue;  // the port is 9092
    const std::string_view port = broker.substr(colon + 1);
    unsigned number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    if (error != std::errc{} || end != port.data() + port.size() || number == 0 || number > kMaxPort) {
      return wrong(broker);
    }
  }
  return {};
}

Result<void> set(rd_kafka_conf_t& conf, const char* key, const std::string& value) {
  char reason[512] = {};
  switch (rd_kafka_conf_set(&conf, key, value.c_str(), reason, sizeof reason)) {
    case RD_KAFKA_CONF_OK: return {};
    case RD_KAFKA_CONF_UNKNOWN:
      return refused(std::string(key) + " is unknown to librdkafka " + rd_kafka_version_str() +
                     "; its CONFIGURATION.md has those that are known");
    case RD_KAFKA_CONF_INVALID: break;
  }
  return refused(std::string(key) + ": " + reason);
}

void log_line(const rd_kafka_t* client, int level, const char* facility, const char* text) {
  static_cast<Reports*>(rd_kafka_opaque(client))->on_log(level, facility, text);
}

void note_error(rd_kafka_t* client, int err, const char* text, void* opaque) {
  static_cast<Reports*>(opaque)->on_error(client, static_cast<rd_kafka_resp_err_t>(err), text);
}

}  // namespace

Result<Conf> make_conf(const KafkaSettings& settings, ConfEntries defaults, ConfEntries ours, Reports& reports) {
  if (auto fit = check_brokers(settings.brokers); !fit) return fail(fit.error());
  Conf conf(rd_kafka_conf_new());
  rd_kafka_conf_set_opaque(conf.get(), &reports);
  rd_kafka_conf_set_log_cb(conf.get(), log_line);
  rd_kafka_conf_set_error_cb(conf.get(), note_error);
  if (auto done = set(*conf, "client.id", "scoreline"); !done) return fail(done.error());
  for (const auto& [key, value] : defaults) {
    // A default that an older librdkafka does not know is one it does without.
    (void)set(*conf, key, value);
  }
  for (const auto& [key, value] : settings.passthrough) {
    const auto* const owned = std::ranges::find(kOwned, key, &OwnedKey::key);
    if (owned != kOwned.end()) return refused(key + " is not to be set here: " + std::string(owned->right));
    if (auto done = set(*conf, key.c_str(), value); !done) return fail(done.error());
  }
  if (auto done = set(*conf, "bootstrap.servers", settings.brokers); !done) return fail(done.error());
  for (const auto& [key, value] : ours) {
    if (auto done = set(*conf, key, value); !done) return fail(done.error());
  }
  return conf;
}

Result<Client> make_client(rd_kafka_type_t type, Conf conf) {
  char reason[512] = {};
  rd_kafka_t* client = rd_kafka_new(type, conf.get(), reason, sizeof reason);
  if (client == nullptr) return refused(reason);
  (void)conf.release();  // it belongs to the client now
  return Client(client);
}

Result<void> check_topic(std::string_view topic) {
  constexpr std::size_t kMaxTopicBytes = 249;
  const auto fits = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9') ||
           letter == '.' || letter == '_' || letter == '-';
  };
  if (topic.empty() || topic.size() > kMaxTopicBytes || topic == "." || topic == ".." ||
      !std::ranges::all_of(topic, fits)) {
    return fail(Code::usage, "must be 1 to 249 letters, digits, dots, underscores or hyphens", "kafkaTopic");
  }
  return {};
}

}  // namespace scoreline::kafka
