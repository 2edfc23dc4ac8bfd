// The instants that a cron expression names in a time zone, as clocks there show them. A time that they skip (put
// forward) stands for the first instant after the gap; one that they show twice (put back) counts once, the first time.
//
// Thread safety: as a plain value.
#pragma once

#include <optional>
#include <string_view>

#include "base/cron.h"
#include "base/error.h"
#include "base/time_zone.h"
#include "base/timestamp.h"

namespace scoreline {

class CronTimes {
 public:
  CronTimes(const Cron& cron, const TimeZone& zone) : cron_(cron), zone_(zone) {}

  /// The first one after `at`. O(days between).
  Timestamp after(Timestamp at) const;
  /// The last one at `at` or before; nullopt when none was in the last 41 years. Some 40 times the cost of `after`.
  std::optional<Timestamp> until(Timestamp at) const;

 private:
  Cron cron_;
  TimeZone zone_;
};

}  // namespace scoreline
