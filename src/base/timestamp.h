// Points in time as the product stores and shows them: whole milliseconds since 1970-01-01T00:00:00Z.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline {

/// Milliseconds since the Unix epoch, UTC, without leap seconds; negative before 1970.
struct Timestamp {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(Timestamp, Timestamp) = default;
};

/// The range a result may carry: 48 bits of milliseconds, from 1600-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z.
inline constexpr Timestamp kMinTimestamp{-11'676'096'000'000};
inline constexpr Timestamp kMaxTimestamp{253'402'300'799'999};

/// Reads RFC 3339: `2026-10-12T18:00:00Z`, with a fraction of any length (cut to milliseconds) and any offset.
/// Errors: Code::invalid when it is not one, when a part is out of range (a 30th of February), or outside
/// kMinTimestamp..kMaxTimestamp. `field` is left to the caller.
Result<Timestamp> parse_timestamp(std::string_view text);

/// RFC 3339 in UTC, milliseconds only when there are any: `2026-10-12T18:00:00Z`, `2026-10-12T18:00:00.250Z`.
std::string format_timestamp(Timestamp at);

/// The same, appended to `out`: no allocation of its own.
void append_timestamp(std::string& out, Timestamp at);

}  // namespace scoreline
