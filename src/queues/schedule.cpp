#include "queues/schedule.h"

#include <algorithm>
#include <utility>

#include "base/cron_times.h"

namespace scoreline::queues {
namespace {

tl::unexpected<Error> fail_as(std::string_view field, Error error) {
  error.field = field;
  return fail(std::move(error));
}

}  // namespace

Result<void> check(const Schedule& schedule, const QueueOptions& options) {
  if (const auto name = check_queue_name(schedule.name); !name) return fail_as("name", name.error());
  if (const auto cron = Cron::parse(schedule.cron); !cron) return fail_as("cron", cron.error());
  if (const auto zone = TimeZone::find(schedule.time_zone); !zone) return fail_as("timeZone", zone.error());
  const std::string id = tick_id(schedule, kMaxTimestamp);
  return check(NewJob{id, schedule.payload, schedule.priority, std::nullopt, schedule.max_attempts}, options);
}

Ticks ticks(const Schedule& schedule, Timestamp last, Timestamp now) {
  const CronTimes times(*Cron::parse(schedule.cron), *TimeZone::find(schedule.time_zone));
  Ticks ticks;
  // A clock that was set back brings no tick again: until it is where it was, nothing is due.
  if (now > last) ticks.due = times.until(now);
  if (ticks.due && *ticks.due <= last) ticks.due.reset();
  if (const Timestamp next = times.after(std::max(last, now)); next <= kMaxTimestamp) ticks.next = next;
  return ticks;
}

std::string tick_id(const Schedule& schedule, Timestamp tick) { return schedule.name + "@" + format_timestamp(tick); }

}  // namespace scoreline::queues
