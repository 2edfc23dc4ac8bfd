#include "queues/option_fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace scoreline::queues {
namespace {

std::string text_of(Durability durability) { return std::string(to_string(durability)); }
std::string text_of(std::chrono::milliseconds span) { return fmt::format("{}", span.count()); }
template <typename Number>
std::string text_of(Number number) {
  return fmt::format("{}", number);
}

template <typename Number>
bool read(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}
bool read(std::string_view text, std::chrono::milliseconds& span) {
  std::int64_t count = 0;
  if (!read(text, count)) return false;
  span = std::chrono::milliseconds{count};
  return true;
}
bool read(std::string_view text, Durability& durability) {
  const auto parsed = parse_durability(text);
  if (parsed) durability = *parsed;
  return parsed.has_value();
}

}  // namespace

std::string format_options(const QueueOptions& options) {
  std::string text;
  visit_option_fields(options, [&](std::string_view name, const auto& value) {
    text.append(text.empty() ? "" : " ").append(name).append("=").append(text_of(value));
  });
  return text;
}

Result<QueueOptions> parse_options(std::string_view text) {
  QueueOptions options;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const std::string_view name = word.substr(0, word.find('='));
    const std::string_view value = word.substr(std::min(word.size(), name.size() + 1));
    bool known = false;
    visit_option_fields(options, [&](std::string_view field, auto& member) {
      if (field == name) known = read(value, member);
    });
    if (!known) return fail(Code::damaged, fmt::format("a queue's options hold \"{}\"", word));
  }
  if (const auto right = check(options); !right) {
    return fail(Code::damaged, fmt::format("a queue's options hold a wrong {}", right.error().field));
  }
  return options;
}

}  // namespace scoreline::queues
