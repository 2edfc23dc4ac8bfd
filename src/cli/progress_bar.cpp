#include "cli/progress_bar.h"

#include <fmt/format.h>

#include <algorithm>

namespace scoreline::cli {
namespace {

constexpr std::size_t kCells = 24;
constexpr std::chrono::milliseconds kRedraw{100};

std::string with_thousands(std::uint64_t value) {
  std::string text = std::to_string(value);
  for (std::size_t at = text.size(); at > 3;) {
    at -= 3;
    text.insert(at, 1, ',');
  }
  return text;
}

std::string minutes_and_seconds(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

}  // namespace

std::string progress_line(const Progress& progress, std::chrono::nanoseconds elapsed) {
  const double seconds = std::max(std::chrono::duration<double>(elapsed).count(), 1e-3);
  const auto rate = static_cast<std::uint64_t>(static_cast<double>(progress.rows) / seconds);
  std::string line;
  if (progress.bytes_total && *progress.bytes_total > 0) {
    const double part =
        std::min(1.0, static_cast<double>(progress.bytes_read) / static_cast<double>(*progress.bytes_total));
    const auto full = static_cast<std::size_t>(part * kCells);
    line = fmt::format("[{}{}] {:3.0f} %  ", std::string(full, '#'), std::string(kCells - full, ' '), part * 100);
    line += fmt::format("{} rows  {}/s", with_thousands(progress.rows), with_thousands(rate));
    if (part > 0) line += fmt::format("  {} left", minutes_and_seconds(seconds * (1 - part) / part));
    return line;
  }
  return fmt::format("{} rows  {}/s", with_thousands(progress.rows), with_thousands(rate));
}

ProgressBar::ProgressBar(std::ostream& err, const Clock& clock, bool shown)
    : err_(err), clock_(clock), shown_(shown), begin_(clock.monotonic()) {}

void ProgressBar::show(const Progress& progress) {
  if (!shown_) return;
  const Monotonic now = clock_.monotonic();
  if (drawn_ && now - *drawn_ < kRedraw) return;
  drawn_ = now;
  err_ << '\r' << progress_line(progress, now - begin_) << "\x1b[K" << std::flush;
}

void ProgressBar::clear() {
  if (drawn_) err_ << "\r\x1b[K" << std::flush;
  drawn_.reset();
}

}  // namespace scoreline::cli
