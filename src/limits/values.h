// The words of rate limits: what is limited, and what a check answers.
//
// Times are nanoseconds of the store's clock: one that runs evenly, and whose zero is the epoch, so that windows fall
// on full minutes. All arithmetic is in whole numbers, so nothing drifts.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/error.h"

namespace scoreline::limits {

using Nanos = std::int64_t;

inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000 * kMillisecond;
/// Of a window, and of the time in which a full burst is refilled.
inline constexpr Nanos kMinWindow = kMillisecond;
inline constexpr Nanos kMaxWindow = 3'660 * 86'400 * kSecond;
inline constexpr std::uint64_t kMaxLimit = 1'000'000'000;
/// Of a sliding log, which keeps a stamp for each call in its window, and of concurrency, which keeps its holders.
inline constexpr std::uint64_t kMaxLogLimit = 10'000;

enum class Algorithm : std::uint8_t {
  sliding_log,      ///< exact: never more than `limit` in any window of that length
  sliding_counter,  ///< an estimate from two counters
  token_bucket,     ///< refills evenly: `limit` a window, and `burst` at once
  fixed_window,     ///< one counter; up to twice `limit` around the end of a window
  concurrency,      ///< at most `limit` holders at once, each until it lets go, or for `window` since it last asked
};
std::string_view to_string(Algorithm algorithm);
std::optional<Algorithm> parse_algorithm(std::string_view text);

/// So many calls in so long a time.
struct Limit {
  Algorithm algorithm = Algorithm::sliding_log;
  std::uint64_t limit = 0;  ///< 1..kMaxLimit in a window; of a sliding log and of concurrency 1..kMaxLogLimit
  Nanos window = 0;         ///< kMinWindow..kMaxWindow
  std::optional<std::uint64_t> burst;  ///< token bucket only: 1..kMaxLimit at once; absent: as limit

  /// How many calls may be allowed at one moment at most.
  std::uint64_t capacity() const { return burst.value_or(limit); }
  friend bool operator==(const Limit&, const Limit&) = default;
};

/// Errors: Code::invalid with the field (`limit`, `window`, `burst`).
Result<void> check(const Limit& limit);

/// 0 looks and takes nothing; of concurrency 1 is the one slot of a holder. Errors: Code::invalid, field `cost`, over
/// the capacity: that could never pass.
Result<void> check_cost(const Limit& limit, std::uint64_t cost);

struct Decision {
  bool allowed = false;
  std::uint64_t remaining = 0;  ///< what more could be allowed now
  Nanos retry_after = 0;        ///< refused: the same would be allowed after exactly so long, if nothing else comes
  Nanos reset_after = 0;        ///< all of the capacity is there again after it
  friend bool operator==(const Decision&, const Decision&) = default;
};

}  // namespace scoreline::limits
