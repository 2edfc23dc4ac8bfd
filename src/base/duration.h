#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline {

/// Reads whole numbers with their units, the largest first: `250ms`, `30s`, `10m`, `12h`, `3d`, `19d6h`; `0` needs
/// none. Errors: Code::invalid when it is not one, or does not fit 64 bits of milliseconds. `field` is left to the
/// caller.
Result<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The same, in the largest unit that is exact: 600,000 ms is `10m`. `duration` ≥ 0.
std::string format_duration(std::chrono::milliseconds duration);

}  // namespace scoreline
