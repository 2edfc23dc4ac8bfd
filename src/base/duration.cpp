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

const Unit* unit_of(std::string_view name) {
  for (const Unit& known : kUnits) {
    if (known.name == name) return &known;
  }
  return nullptr;
}

tl::unexpected<Error> not_one() {
  return fail(Code::invalid, "must be a duration, like 250ms, 30s, 10m, 12h, 3d or 19d6h");
}

}  // namespace

Result<std::chrono::milliseconds> parse_duration(std::string_view text) {
  if (text == "0") return std::chrono::milliseconds{0};
  std::int64_t total = 0;
  const Unit* last = nullptr;  // each must be smaller than the one before
  while (!text.empty()) {
    std::int64_t count = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc{} || count < 0) return not_one();
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    const Unit* const unit = unit_of(text.substr(0, text.find_first_of("0123456789")));
    if (unit == nullptr || (last != nullptr && unit->ms >= last->ms)) return not_one();
    std::int64_t ms = 0;
    if (__builtin_mul_overflow(count, unit->ms, &ms) || __builtin_add_overflow(total, ms, &total)) return not_one();
    text.remove_prefix(unit->name.size());
    last = unit;
  }
  if (last == nullptr) return not_one();
  return std::chrono::milliseconds{total};
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
