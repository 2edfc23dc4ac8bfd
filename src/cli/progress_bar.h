// One line on a terminal that tells how far an import is, how fast, and how long it will take.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "base/clock.h"

namespace scoreline::cli {

struct Progress {
  std::uint64_t rows = 0;
  std::uint64_t bytes_read = 0;
  std::optional<std::uint64_t> bytes_total;
};

/// `[########            ]  41 %  204,800 rows  61,234/s  0:05 left`; without a total only rows and rate.
std::string progress_line(const Progress& progress, std::chrono::nanoseconds elapsed);

/// Not thread-safe.
class ProgressBar {
 public:
  /// Draws nothing when `shown` is false.
  ProgressBar(std::ostream& err, const Clock& clock, bool shown);
  /// Draws, but at most ten times a second.
  void show(const Progress& progress);
  /// Takes the line away.
  void clear();

 private:
  std::ostream& err_;
  const Clock& clock_;
  bool shown_;
  Monotonic begin_;
  std::optional<Monotonic> drawn_;
};

}  // namespace scoreline::cli
