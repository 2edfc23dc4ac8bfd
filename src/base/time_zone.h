// The time that clocks show in a zone of the IANA database, as the system's tzdata has it (src/base/time_zone.cpp is
// the one file that knows the library behind).
//
// Thread safety: as a plain value; calls from any thread. Cost: a search among the zone's changes, about 100 ns.
// tzdata that the system packages tells changes up to 2037; later ones of zones with summer time are not known.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/timestamp.h"

namespace date {
class time_zone;
}

namespace scoreline {

/// What clocks show, in milliseconds since their 1970-01-01T00:00: an instant only together with a zone.
struct LocalTime {
  std::int64_t ms = 0;
  friend constexpr auto operator<=>(LocalTime, LocalTime) = default;
};

class TimeZone {
 public:
  /// UTC, which needs no tzdata.
  TimeZone() = default;
  /// A name of the database, like `Europe/Berlin`. Errors: Code::invalid when the system's tzdata has none of this
  /// name; `field` is left to the caller.
  static Result<TimeZone> find(std::string_view name);

  LocalTime local(Timestamp at) const;

  /// The instant at which clocks show `at` first: the earlier one when they show it twice (they are put back), and the
  /// end of the gap when they never do (they are put forward).
  Timestamp first_instant(LocalTime at) const;

 private:
  const date::time_zone* zone_ = nullptr;  // UTC
};

}  // namespace scoreline
