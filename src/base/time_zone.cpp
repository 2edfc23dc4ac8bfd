#include "base/time_zone.h"

#include <date/tz.h>

#include <chrono>
#include <exception>

namespace scoreline {
namespace {

using std::chrono::floor;
using std::chrono::milliseconds;

date::sys_time<milliseconds> to_sys(Timestamp at) { return date::sys_time<milliseconds>(milliseconds{at.ms}); }

tl::unexpected<Error> unknown_zone() {
  return fail(Code::invalid, "must be a time zone of the IANA database that this system has, like Europe/Berlin");
}

}  // namespace

Result<TimeZone> TimeZone::find(std::string_view name) try {
  TimeZone found;
  if (name == "UTC") return found;
  if (name == "localtime") return unknown_zone();  // another zone on each machine
  found.zone_ = date::locate_zone(name);
  // The zone's file is read with the first question: a damaged one must be told here.
  static_cast<void>(found.zone_->get_info(to_sys(Timestamp{})));
  return found;
} catch (const std::exception&) {
  return unknown_zone();
}

LocalTime TimeZone::local(Timestamp at) const {
  if (zone_ == nullptr) return LocalTime{at.ms};
  // Whole seconds: before 1970 they must round down.
  const milliseconds offset = zone_->get_info(floor<std::chrono::seconds>(to_sys(at))).offset;
  return LocalTime{at.ms + offset.count()};
}

Timestamp TimeZone::first_instant(LocalTime at) const {
  if (zone_ == nullptr) return Timestamp{at.ms};
  const date::local_time<milliseconds> wanted(milliseconds{at.ms});
  const date::local_info info = zone_->get_info(floor<std::chrono::seconds>(wanted));
  if (info.result == date::local_info::nonexistent) {
    return Timestamp{std::chrono::duration_cast<milliseconds>(info.first.end.time_since_epoch()).count()};
  }
  return Timestamp{at.ms - milliseconds(info.first.offset).count()};
}

}  // namespace scoreline
