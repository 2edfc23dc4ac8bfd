#include "base/timestamp.h"

#include <chrono>

namespace scoreline {
namespace {

constexpr std::int64_t kMsPerDay = 86'400'000;

/// Takes exactly `digits` decimal digits off the front; -1 when they are not there.
int take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return -1;
  int value = 0;
  for (std::size_t i = 0; i < digits; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take_char(std::string_view& text, char wanted) {
  if (text.empty() || text.front() != wanted) return false;
  text.remove_prefix(1);
  return true;
}

/// Writes `value` in `width` digits and returns where it ends.
char* put_padded(char* out, int value, int width) {
  for (int i = width - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + value % 10);
    value /= 10;
  }
  return out + width;
}

}  // namespace

Result<Timestamp> parse_timestamp(std::string_view text) {
  const auto refuse = [](const char* why) {
    return fail(Code::invalid, std::string(why) + "; write it like 2026-10-12T18:00:00Z (RFC 3339)");
  };
  const int year = take_digits(text, 4);
  if (year < 0 || !take_char(text, '-')) return refuse("not a time");
  const int month = take_digits(text, 2);
  if (month < 0 || !take_char(text, '-')) return refuse("not a time");
  const int day = take_digits(text, 2);
  if (day < 0 || !(take_char(text, 'T') || take_char(text, 't') || take_char(text, ' '))) return refuse("not a time");
  const int hour = take_digits(text, 2);
  if (hour < 0 || !take_char(text, ':')) return refuse("not a time");
  const int minute = take_digits(text, 2);
  if (minute < 0 || !take_char(text, ':')) return refuse("not a time");
  const int second = take_digits(text, 2);
  if (second < 0) return refuse("not a time");
  int ms = 0;
  if (take_char(text, '.')) {
    int digits = 0;
    for (; !text.empty() && text.front() >= '0' && text.front() <= '9'; text.remove_prefix(1), ++digits) {
      if (digits < 3) ms = ms * 10 + (text.front() - '0');
    }
    if (digits == 0) return refuse("not a time");
    for (; digits < 3; ++digits) ms *= 10;
  }
  int offset_minutes = 0;
  if (!take_char(text, 'Z') && !take_char(text, 'z')) {
    const bool east = !text.empty() && text.front() == '+';
    if (!east && (text.empty() || text.front() != '-')) return refuse("the offset from UTC is missing");
    text.remove_prefix(1);
    const int hours = take_digits(text, 2);
    if (hours < 0 || hours > 23 || !take_char(text, ':')) return refuse("the offset from UTC is not ±hh:mm");
    const int minutes = take_digits(text, 2);
    if (minutes < 0 || minutes > 59) return refuse("the offset from UTC is not ±hh:mm");
    offset_minutes = (east ? 1 : -1) * (hours * 60 + minutes);
  }
  if (!text.empty()) return refuse("something stands after the time");

  const std::chrono::year_month_day date{std::chrono::year{year}, std::chrono::month{static_cast<unsigned>(month)},
                                         std::chrono::day{static_cast<unsigned>(day)}};
  if (!date.ok()) return refuse("there is no such day");
  // A leap second (:60) is taken as the last millisecond of its minute: Unix time has no place for it.
  if (hour > 23 || minute > 59 || second > 60) return refuse("there is no such time of day");
  const bool leap = second == 60;
  const std::int64_t of_day =
      ((hour * 60 + minute) * 60 + (leap ? 59 : second)) * std::int64_t{1000} + (leap ? 999 : ms);
  const std::int64_t days = std::chrono::sys_days{date}.time_since_epoch().count();
  const Timestamp at{days * kMsPerDay + of_day - offset_minutes * std::int64_t{60'000}};
  if (at < kMinTimestamp || at > kMaxTimestamp) return refuse("must be in the years 1600..9999");
  return at;
}

void append_timestamp(std::string& out, Timestamp at) {
  std::int64_t day = at.ms / kMsPerDay;
  std::int64_t of_day = at.ms % kMsPerDay;
  if (of_day < 0) {
    of_day += kMsPerDay;
    --day;
  }
  const std::chrono::year_month_day date{std::chrono::sys_days{std::chrono::days{day}}};
  const int second_of_day = static_cast<int>(of_day / 1000);
  // Boards are mostly timestamps: one append instead of a dozen.
  char text[] = "yyyy-mm-ddThh:mm:ss.mmmZ";
  char* end = put_padded(text, static_cast<int>(date.year()), 4);
  end = put_padded(end + 1, static_cast<int>(static_cast<unsigned>(date.month())), 2);
  end = put_padded(end + 1, static_cast<int>(static_cast<unsigned>(date.day())), 2);
  end = put_padded(end + 1, second_of_day / 3600, 2);
  end = put_padded(end + 1, second_of_day / 60 % 60, 2);
  end = put_padded(end + 1, second_of_day % 60, 2);
  if (of_day % 1000 != 0) end = put_padded(end + 1, static_cast<int>(of_day % 1000), 3);
  *end++ = 'Z';
  out.append(text, end);
}

std::string format_timestamp(Timestamp at) {
  std::string out;
  append_timestamp(out, at);
  return out;
}

}  // namespace scoreline
