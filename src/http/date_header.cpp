#include "http/date_header.h"

#include <cstdio>
#include <ctime>

namespace scoreline::http {

std::string date_header(Timestamp now) {
  const std::time_t seconds = now.ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  // Not strftime's %a and %b: those speak the language of the locale.
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  char text[64];
  const int length = std::snprintf(text, sizeof text, "Date: %s, %02d %s %04d %02d:%02d:%02d GMT\r\n",
                                   kDays[parts.tm_wday], parts.tm_mday, kMonths[parts.tm_mon], parts.tm_year + 1900,
                                   parts.tm_hour, parts.tm_min, parts.tm_sec);
  return {text, static_cast<std::size_t>(length)};
}

}  // namespace scoreline::http
