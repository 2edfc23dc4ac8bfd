#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"

namespace scoreline {

/// 128 bits, in network order (RFC 9562). Compared bytewise, so version 7 sorts by time.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};
  friend auto operator<=>(const Uuid&, const Uuid&) = default;
};

/// Reads `82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6`, any version, either case. Errors: Code::invalid.
Result<Uuid> parse_uuid(std::string_view text);

/// 36 characters, lower case.
std::string format_uuid(const Uuid& uuid);

/// A new version 7: 48 bits of milliseconds, then 74 random bits.
Uuid new_uuid_v7(Timestamp now, Random& random);

/// Version 8, whose bits are the caller's: all of `bits` but the six that tell version and variant.
Uuid uuid_v8(const std::array<std::uint8_t, 16>& bits);

}  // namespace scoreline
