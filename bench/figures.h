// What every benchmark does with its clock.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <vector>

namespace scoreline::bench {

/// How long `work` takes.
template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// `share` 0..1; 0 of no values.
inline double percentile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

}  // namespace scoreline::bench
