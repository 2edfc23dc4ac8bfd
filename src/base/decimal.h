// Exact decimal numbers: points travel as JSON numbers and live as 64-bit integers. No double in between.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline {

/// value = digits · 10^exponent, exactly. Normalised: digits not divisible by 10 (or 0 with exponent 0).
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
  friend bool operator==(const Decimal&, const Decimal&) = default;
};

/// A whole number.
Decimal decimal_from(std::int64_t value);

/// Reads a JSON number (RFC 8259): `12`, `-0.5`, `1e2`. Nothing else: no `+1`, `0x10`, `NaN`, blanks.
/// Errors: Code::invalid when it is not one, or has more than 18 significant digits that do not fit 64 bits.
Result<Decimal> parse_decimal(std::string_view text);

/// `value` in units of 10^-scale (scale 0..9): 12.5 at scale 1 is 125.
/// Errors: Code::invalid when it has more digits after the point than `scale`, or does not fit 64 bits.
Result<std::int64_t> to_scaled(Decimal value, int scale);

/// `scaled` · 10^-scale as a JSON number, shortest form: 125 at scale 1 is `12.5`, 120 is `12`. Appends to `out`.
void append_scaled(std::string& out, std::int64_t scaled, int scale);

std::string format_scaled(std::int64_t scaled, int scale);

}  // namespace scoreline
