#include "base/decimal.h"

#include <charconv>
#include <string>
#include <utility>

namespace scoreline {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

tl::unexpected<Error> not_a_number() { return fail(Code::invalid, "must be a number, like 120 or 12.5"); }

tl::unexpected<Error> too_big(int scale = 0) {
  std::string detail = "must fit a 64-bit integer (-9223372036854775808..9223372036854775807)";
  if (scale > 0) detail += " with the point moved by " + std::to_string(scale) + " digits";
  return fail(Code::invalid, std::move(detail));
}

/// Adds one digit below the ones in `value`, towards the sign; false when it does not fit.
bool push_digit(std::int64_t& value, int digit, bool negative) {
  return !__builtin_mul_overflow(value, 10, &value) &&
         !__builtin_add_overflow(value, negative ? -digit : digit, &value);
}

}  // namespace

Decimal decimal_from(std::int64_t value) {
  Decimal result{value, 0};
  while (result.digits != 0 && result.digits % 10 == 0) {
    result.digits /= 10;
    ++result.exponent;
  }
  return result;
}

Result<Decimal> parse_decimal(std::string_view text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  if (at == end || !is_digit(*at)) return not_a_number();
  if (*at == '0' && end - at > 1 && is_digit(at[1])) return not_a_number();

  // Zeros are held back until a digit follows them, so that 1.50 and 150e-2 come out the same and fit.
  std::int64_t digits = 0;
  std::int64_t exponent = 0;
  std::int64_t held_zeros = 0;
  bool fits = true;
  const auto take = [&](char c, bool after_point) {
    if (after_point) --exponent;
    if (c == '0') {
      ++held_zeros;
      return;
    }
    if (digits == 0) held_zeros = 0;
    for (; fits && held_zeros > 0; --held_zeros) fits = push_digit(digits, 0, negative);
    if (fits) fits = push_digit(digits, c - '0', negative);
  };
  for (; at != end && is_digit(*at); ++at) take(*at, false);
  if (at != end && *at == '.') {
    ++at;
    if (at == end || !is_digit(*at)) return not_a_number();
    for (; at != end && is_digit(*at); ++at) take(*at, true);
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    ++at;
    const bool negative_exponent = at != end && *at == '-';
    if (at != end && (*at == '-' || *at == '+')) ++at;
    if (at == end || !is_digit(*at)) return not_a_number();
    std::int64_t written = 0;
    for (; at != end && is_digit(*at); ++at) {
      if (written < 1'000'000) written = written * 10 + (*at - '0');
    }
    exponent += negative_exponent ? -written : written;
  }
  if (at != end) return not_a_number();
  if (!fits) return too_big();
  if (digits == 0) return Decimal{};
  exponent += held_zeros;
  if (exponent > 18) return too_big();
  if (exponent < -1'000'000) exponent = -1'000'000;
  return Decimal{digits, static_cast<int>(exponent)};
}

Result<std::int64_t> to_scaled(Decimal value, int scale) {
  if (value.digits == 0) return 0;
  int shift = value.exponent + scale;
  if (shift < 0) {
    return fail(Code::invalid, scale == 0 ? "must be a whole number"
                                          : "must have at most " + std::to_string(scale) + " digits after the point");
  }
  std::int64_t scaled = value.digits;
  for (; shift > 0; --shift) {
    if (__builtin_mul_overflow(scaled, 10, &scaled)) return too_big(scale);
  }
  return scaled;
}

void append_scaled(std::string& out, std::int64_t scaled, int scale) {
  char text[24];
  const auto [end, error] = std::to_chars(text, text + sizeof text, scaled);
  std::string_view digits(text, static_cast<std::size_t>(end - text));
  if (scale == 0) {
    out += digits;
    return;
  }
  if (digits.front() == '-') {
    out += '-';
    digits.remove_prefix(1);
  }
  const auto places = static_cast<std::size_t>(scale);
  std::string padded;
  if (digits.size() <= places) {
    padded.assign(places + 1 - digits.size(), '0');
    padded += digits;
    digits = padded;
  }
  std::string_view fraction = digits.substr(digits.size() - places);
  out += digits.substr(0, digits.size() - places);
  while (!fraction.empty() && fraction.back() == '0') fraction.remove_suffix(1);
  if (!fraction.empty()) {
    out += '.';
    out += fraction;
  }
}

std::string format_scaled(std::int64_t scaled, int scale) {
  std::string out;
  append_scaled(out, scaled, scale);
  return out;
}

}  // namespace scoreline
