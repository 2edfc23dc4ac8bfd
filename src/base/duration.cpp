#include "base/duration.h"

#include <charconv>
#include <cstdint>

namespace scoreline {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t ms;
};

/// The largest first: format_duration takes the first that fits.
constexpr Unit kUnits[] = {{"d", 86'400'000}, {"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds{0};
  std::int64_t count = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  const std::string_view unit = text.substr(static_cast<std::size_t>(rest - text.data()));
  if (error == std::errc{} && count >= 0) {
    for (const Unit& known : kUnits) {
      if (unit != known.name) continue;
      std::int64_t ms = 0;
      if (!__builtin_mul_overflow(count, known.ms, &ms)) return std::chrono::milliseconds{ms};
    }
  }
  return fail(Code::invalid, "must be a duration, like 250ms, 30s, 10m, 12h or 3d");
}

std::string format_duration(std::chrono::milliseconds duration) {
  const std::int64_t ms = duration.count();
  if (ms == 0) return "0";
  for (const Unit& unit : kUnits) {
    if (ms % unit.ms == 0) return std::to_string(ms / unit.ms) + std::string(unit.name);
  }
  return std::to_string(ms) + "ms";
}

}  // namespace scoreline
