#include "adapters/redis/reply_errors.h"

#include <array>
#include <charconv>

#include "adapters/redis/slots.h"

namespace scoreline::redis {
namespace {

struct Row {
  std::string_view word;
  Meaning meaning;
};
constexpr std::array<Row, 14> kTable{{{"NOSCRIPT", Meaning::no_script},
                                      {"MOVED", Meaning::moved},
                                      {"ASK", Meaning::ask},
                                      {"TRYAGAIN", Meaning::try_again},
                                      {"CLUSTERDOWN", Meaning::try_again},
                                      {"READONLY", Meaning::not_master},
                                      {"LOADING", Meaning::not_ready},
                                      {"BUSY", Meaning::not_ready},
                                      {"MASTERDOWN", Meaning::not_master},
                                      {"NOREPLICAS", Meaning::not_ready},
                                      {"NOAUTH", Meaning::not_allowed},
                                      {"WRONGPASS", Meaning::not_allowed},
                                      {"NOPERM", Meaning::not_allowed},
                                      {"MISCONF", Meaning::not_allowed}}};

bool read_number(std::string_view text, std::uint16_t& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

Meaning meaning_of(std::string_view message) {
  const auto word = message.substr(0, message.find(' '));
  for (const auto& row : kTable) {
    if (row.word == word) return row.meaning;
  }
  return Meaning::of_command;
}

// `MOVED 3999 127.0.0.1:6381`; an IPv6 host comes without brackets.
std::optional<Redirect> redirect_of(std::string_view message) {
  const auto slot_at = message.find(' ') + 1;
  const auto host_at = message.find(' ', slot_at) + 1;
  const auto colon = message.rfind(':');
  if (slot_at == 0 || host_at == 0 || colon == std::string_view::npos || colon < host_at) return std::nullopt;
  Redirect redirect;
  if (!read_number(message.substr(slot_at, host_at - 1 - slot_at), redirect.slot)) return std::nullopt;
  if (!read_number(message.substr(colon + 1), redirect.to.port)) return std::nullopt;
  if (redirect.slot >= kSlots || redirect.to.port == 0) return std::nullopt;
  redirect.to.host = message.substr(host_at, colon - host_at);
  return redirect;
}

}  // namespace scoreline::redis
