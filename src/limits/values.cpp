#include "limits/values.h"

#include <fmt/format.h>

namespace scoreline::limits {

std::string_view to_string(Algorithm algorithm) {
  switch (algorithm) {
    case Algorithm::sliding_log: return "sliding-log";
    case Algorithm::sliding_counter: return "sliding-counter";
    case Algorithm::token_bucket: return "token-bucket";
    case Algorithm::fixed_window: return "fixed-window";
    case Algorithm::concurrency: return "concurrency";
  }
  return "sliding-log";
}

std::optional<Algorithm> parse_algorithm(std::string_view text) {
  for (const Algorithm algorithm : {Algorithm::sliding_log, Algorithm::sliding_counter, Algorithm::token_bucket,
                                    Algorithm::fixed_window, Algorithm::concurrency}) {
    if (to_string(algorithm) == text) return algorithm;
  }
  return std::nullopt;
}

Result<void> check(const Limit& limit) {
  if (limit.limit < 1 || limit.limit > kMaxLimit) {
    return fail(Code::invalid, fmt::format("must be 1..{}", kMaxLimit), "limit");
  }
  if (limit.algorithm == Algorithm::sliding_log && limit.limit > kMaxLogLimit) {
    return fail(Code::invalid,
                fmt::format("must be 1..{} for a sliding-log, which keeps a stamp for each call; "
                            "sliding-counter and token-bucket take up to {}",
                            kMaxLogLimit, kMaxLimit),
                "limit");
  }
  if (limit.algorithm == Algorithm::concurrency && limit.limit > kMaxLogLimit) {
    return fail(Code::invalid, fmt::format("must be 1..{} for concurrency, which keeps every holder", kMaxLogLimit),
                "limit");
  }
  if (limit.window < kMinWindow || limit.window > kMaxWindow) {
    return fail(Code::invalid, "must be 1ms..3660d", "window");
  }
  if (!limit.burst) return {};
  if (limit.algorithm != Algorithm::token_bucket) return fail(Code::invalid, "is for token-bucket alone", "burst");
  if (*limit.burst < 1 || *limit.burst > kMaxLimit) {
    return fail(Code::invalid, fmt::format("must be 1..{}", kMaxLimit), "burst");
  }
  if (static_cast<unsigned __int128>(*limit.burst) * static_cast<unsigned __int128>(limit.window) >
      static_cast<unsigned __int128>(kMaxWindow) * limit.limit) {
    return fail(Code::invalid, "must be refilled within 3660d", "burst");
  }
  return {};
}

Result<void> check_cost(const Limit& limit, std::uint64_t cost) {
  if (limit.algorithm == Algorithm::concurrency && cost > 1) {
    return fail(Code::invalid, "must be 0 or 1 for concurrency: a holder has one slot", "cost");
  }
  if (cost <= limit.capacity()) return {};
  return fail(Code::invalid, fmt::format("must be 0..{}: more could never be allowed", limit.capacity()), "cost");
}

}  // namespace scoreline::limits
