// Schedules of the embedded store: each tick puts its job in, together with the note that it did.
#include <fmt/format.h>

#include "queues/embedded_calls.h"

namespace scoreline::queues {
namespace {

/// When a tick found the queue full.
constexpr std::chrono::milliseconds kTryAgain = std::chrono::seconds{1};

}  // namespace

void EmbeddedJobStore::put_schedule(std::string_view queue, const Schedule& schedule, Done<void> done) {
  if (known(queue) == nullptr) {
    if (auto ok = check(schedule, QueueOptions{}); !ok) return done(fail(ok.error()));
  }
  change_setting(queue, true, done, [&](Turn& turn) -> Result<void> {
    if (auto ok = check(schedule, turn.queue().options()); !ok) return ok;
    auto& schedules = turn.served().schedules;
    const auto known = schedules.find(schedule.name);
    if (known != schedules.end() && known->second.record.schedule == schedule) return {};
    if (known == schedules.end() && schedules.size() == kMaxSchedules) {
      return fail(Code::too_many, fmt::format("a queue has {} schedules at most", kMaxSchedules), "name");
    }
    ServedSchedule& made = schedules[schedule.name];
    made = {{turn.served().record.number, schedule, turn.now().wall, false}, {}, {}};
    made.next = ticks(schedule, turn.now().wall, turn.now().wall).next;
    if (commit_) turn.note(made.record);
    return {};
  });
}

void EmbeddedJobStore::drop_schedule(std::string_view queue, std::string_view name, Done<bool> done) {
  change_setting(queue, false, done, [&](Turn& turn) -> Result<bool> {
    const auto known = turn.served().schedules.find(name);
    if (known == turn.served().schedules.end()) return false;
    known->second.record.dropped = true;
    if (commit_) turn.note(known->second.record);
    turn.served().schedules.erase(known);
    return true;
  });
}

void EmbeddedJobStore::schedules(std::string_view queue, Done<std::vector<ScheduleState>> done) {
  read(queue, done, [](Turn& turn) -> Result<std::vector<ScheduleState>> {
    std::vector<ScheduleState> states;
    for (const auto& [name, served] : turn.served().schedules) {
      states.push_back({served.record.schedule, served.ticked, served.next});
    }
    return states;
  });
}

void EmbeddedJobStore::Turn::tick() {
  // Job and note go into the ledger together, or wait until they can.
  if (served_.schedules.empty() || (store_.commit_ && store_.commit_->refusal())) return;
  for (auto& [name, scheduled] : served_.schedules) {
    if (!scheduled.next || *scheduled.next > now_.wall) continue;
    const Schedule& schedule = scheduled.record.schedule;
    const Ticks found = ticks(schedule, scheduled.record.last, now_.wall);
    if (found.due) {
      const std::string id = tick_id(schedule, *found.due);
      const NewJob job{id, schedule.payload, schedule.priority, std::nullopt, schedule.max_attempts};
      Enqueued answer;
      if (!queue().enqueue({&job, 1}, {&answer, 1}, now_)) {
        scheduled.next = Timestamp{now_.wall.ms + kTryAgain.count()};
        continue;
      }
      scheduled.ticked = scheduled.record.last = *found.due;
      if (store_.commit_) note(scheduled.record);
    }
    scheduled.next = found.next;
  }
}

}  // namespace scoreline::queues
