#include "adapters/kafka/kafka_settings.h"

#include <algorithm>
#include <array>
#include <utility>

namespace scoreline::kafka {
namespace {

bool is_secret(std::string_view key) {
  // Files of keys (`…location`) are places, no secrets.
  constexpr std::array kSecretWords{"password",           "secret",     "token", "key.pem", "ssl.key",
                                    "oauthbearer.config", "jaas.config"};
  if (key.ends_with(".location")) return false;
  return std::ranges::any_of(kSecretWords, [key](std::string_view word) { return key.find(word) != key.npos; });
}

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\n");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\n") - first + 1);
}

/// Cuts the first entry off `rest`, doubled commas made one.
std::string next_entry(std::string_view& rest) {
  std::string entry;
  while (!rest.empty()) {
    const char letter = rest.front();
    rest.remove_prefix(1);
    if (letter == ',') {
      if (!rest.starts_with(',')) break;
      rest.remove_prefix(1);
    }
    entry += letter;
  }
  return entry;
}

}  // namespace

Result<Passthrough> parse_passthrough(std::string_view text) {
  Passthrough passthrough;
  while (!text.empty()) {
    const std::string entry = next_entry(text);
    const auto equals = entry.find('=');
    const std::string key(trimmed(std::string_view(entry).substr(0, equals)));
    if (equals == entry.npos) {
      // Without a key, the entry may be the rest of a password with a comma in it: not to be shown.
      return fail(
          Code::usage,
          "entry " + std::to_string(passthrough.size() + 1) + " is no key=value; write a comma within a value twice",
          "kafkaSettings");
    }
    if (key.empty()) return fail(Code::usage, "a value stands without a key", "kafkaSettings");
    const auto value = trimmed(std::string_view(entry).substr(equals + 1));
    if (!passthrough.emplace(key, value).second) {
      return fail(Code::usage, key + " is given twice", "kafkaSettings");
    }
  }
  return passthrough;
}

std::string redacted(const Passthrough& passthrough) {
  std::string text;
  for (const auto& [key, value] : passthrough) {
    if (!text.empty()) text += ',';
    text += key + '=';
    if (is_secret(key)) {
      text += "***";
      continue;
    }
    for (const char letter : value) text.append(letter == ',' ? 2 : 1, letter);
  }
  return text;
}

}  // namespace scoreline::kafka
