// Looking into a queue, and what its operator does to it.
#include <algorithm>
#include <cmath>
#include <limits>

#include "queues/queue.h"

namespace scoreline::queues {
namespace {

constexpr std::int64_t kForEver = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::optional<JobRow> Queue::find(std::string_view id, Instant now) const {
  const auto slot = slot_of(id);
  return slot ? std::optional(row_now(slab_[*slot], now)) : std::nullopt;
}

std::optional<JobRow> Queue::peek(Instant now) const {
  std::optional<Line::Entry> best;
  int best_level = kPriorities;
  for (int priority = 0; priority < kPriorities; ++priority) {
    const Level& level = levels_[static_cast<std::size_t>(priority)];
    for (const Line* const line : {&level.ready, &level.delayed}) {
      if (line->empty() || (line == &level.delayed && !is_due(line->front().key, now))) continue;
      const Line::Entry& entry = line->front();
      const int counts_as = level_of(priority, entry.key, now);
      if (counts_as > best_level || (counts_as == best_level && best->key < entry.key)) continue;
      best = entry;
      best_level = counts_as;
    }
  }
  return best ? std::optional(row_now(slab_[best->slot], now)) : std::nullopt;
}

std::vector<Slot> Queue::slots_of(JobState state, std::size_t first, std::size_t count, Instant now) const {
  std::vector<Line::Entry> entries;
  const std::size_t wanted = count > kForEver - first ? kForEver : first + count;
  const auto gather = [&](const Line& line, std::size_t from, auto goes_on) {
    const std::size_t before = entries.size();
    line.visit(from, [&](const Line::Entry& entry) {
      if (entries.size() - before >= wanted || !goes_on(entry.key)) return false;
      entries.push_back(entry);
      return true;
    });
  };
  const auto all = [](const Line::Key&) { return true; };
  const auto by_key = [](const Line::Entry& a, const Line::Entry& b) { return a.key < b.key; };
  switch (state) {
    case JobState::ready:
      for (const Level& level : levels_) {
        const auto begin = static_cast<std::ptrdiff_t>(entries.size());
        gather(level.ready, 0, all);
        const auto middle = static_cast<std::ptrdiff_t>(entries.size());
        gather(level.delayed, 0, [&](const Line::Key& key) { return is_due(key, now); });
        std::inplace_merge(entries.begin() + begin, entries.begin() + middle, entries.end(), by_key);
      }
      break;
    case JobState::delayed:
      for (const Level& level : levels_) gather(level.delayed, level.delayed.rank({now.wall.ms + 1, 0}), all);
      std::sort(entries.begin(), entries.end(), by_key);
      break;
    case JobState::leased: gather(leased_, 0, all); break;
    case JobState::dead: gather(dead_, 0, all); break;
    case JobState::done: gather(done_, 0, all); break;
  }
  std::vector<Slot> slots;
  for (std::size_t i = first; i < entries.size() && slots.size() < count; ++i) slots.push_back(entries[i].slot);
  return slots;
}

void Queue::list(JobState state, std::size_t first, std::size_t count, Instant now, Visit visit) const {
  for (const Slot slot : slots_of(state, first, count, now)) visit(row_now(slab_[slot], now));
}

/// Counts, in each priority, the jobs before it: those that have reached a better level than its own, and those of its
/// level that are older. Both are a beginning of the line.
std::uint64_t Queue::ahead_of(const Job& job, Instant now) const {
  const int level = level_of(job.priority, job.key(), now);
  const std::int64_t aging = options_.aging.count();
  // Until which time of becoming ready a job of `priority` has reached `wanted`.
  const auto reached = [&](int priority, int wanted) {
    if (priority <= wanted) return kForEver;
    return aging == 0 ? -kForEver : now.wall.ms - (priority - wanted) * aging;
  };
  const auto after = [](std::int64_t time) { return Line::Key{time == kForEver ? time : time + 1, 0}; };
  std::uint64_t ahead = 0;
  for (int priority = 0; priority < kPriorities; ++priority) {
    Line::Key bound = std::min(after(reached(priority, level)), job.key());
    if (level > 0) bound = std::max(bound, after(reached(priority, level - 1)));
    const Level& of = levels_[static_cast<std::size_t>(priority)];
    ahead += of.ready.rank(bound) + of.delayed.rank(std::min(bound, after(now.wall.ms)));
  }
  return ahead;
}

std::optional<JobPosition> Queue::position(std::string_view id, Instant now) const {
  const auto slot = slot_of(id);
  if (!slot || row_now(slab_[*slot], now).state != JobState::ready) return std::nullopt;
  JobPosition position{ahead_of(slab_[*slot], now), std::nullopt};
  const double rate = taken_rate_.per_second(now.steady);
  // A rate that has all but faded says nothing.
  if (rate > 1e-6 && !paused_) {
    const double wait = static_cast<double>(position.ahead) / rate * 1'000;
    position.estimated_wait = std::chrono::milliseconds{std::llround(wait)};
  }
  return position;
}

QueueStats Queue::stats(Instant now) const {
  QueueStats stats = counted_;
  std::int64_t oldest = now.wall.ms;
  for (const Level& level : levels_) {
    const std::size_t due = level.delayed.rank({now.wall.ms + 1, 0});
    stats.ready += level.ready.size() + due;
    stats.delayed += level.delayed.size() - due;
    if (!level.ready.empty()) oldest = std::min(oldest, level.ready.front().key.at);
    if (due > 0) oldest = std::min(oldest, level.delayed.front().key.at);
  }
  stats.leased = leased_.size();
  stats.dead = dead_.size();
  stats.done = done_.size();
  stats.oldest_ready = std::chrono::milliseconds{now.wall.ms - oldest};
  stats.paused = paused_;
  stats.enqueued_per_second = enqueued_rate_.per_second(now.steady);
  stats.taken_per_second = taken_rate_.per_second(now.steady);
  stats.memory_bytes = memory_bytes();
  return stats;
}

std::size_t Queue::purge(JobState state, std::size_t limit, Instant now) {
  const std::vector<Slot> slots = slots_of(state, 0, limit, now);
  for (const Slot slot : slots) drop(slot);
  return slots.size();
}

bool Queue::remove(std::string_view id) {
  const auto slot = slot_of(id);
  if (slot) drop(*slot);
  return slot.has_value();
}

/// Of a dead job.
void Queue::revive(Slot slot, Instant now) {
  Job& job = slab_[slot];
  dead_.erase(job.key());
  job.failures = job.crashes = 0;
  job.cause = DeadCause::none;
  place(slot, now.wall.ms, now);
  record(Change::updated, job);
}

std::size_t Queue::retry_dead(std::size_t limit, Instant now) {
  std::size_t retried = 0;
  for (; retried < limit && !dead_.empty(); ++retried) revive(dead_.front().slot, now);
  return retried;
}

Result<void> Queue::retry_dead(std::string_view id, Instant now) {
  const auto slot = slot_of(id);
  if (!slot) return fail(Code::not_found, "there is no such job", "id");
  if (slab_[*slot].state != JobState::dead) return fail(Code::conflict, "the job is not dead", "id");
  revive(*slot, now);
  return {};
}

Queue::Moved Queue::move_to(Queue& other, JobState state, std::size_t skip, std::size_t limit, Instant now) {
  SCORELINE_CHECK(state == JobState::ready || state == JobState::delayed || state == JobState::dead);
  Moved moved;
  for (const Slot slot : slots_of(state, skip, limit, now)) {
    const Job& job = slab_[slot];
    NewJob again{job.id(), job.payload(), job.priority, std::nullopt, job.max_attempts};
    if (state == JobState::delayed) again.run_at = Timestamp{job.run_at};
    Enqueued answer;
    const bool added = other.enqueue({&again, 1}, {&answer, 1}, now) && answer.outcome == EnqueueOutcome::enqueued;
    added ? ++moved.moved : ++moved.left;
    if (added) drop(slot);
  }
  return moved;
}

std::uint64_t Queue::memory_bytes() const {
  std::uint64_t bytes = sizeof(*this) + slab_.memory_bytes() + ids_.memory_bytes() + payload_bytes_;
  for (const Level& level : levels_) bytes += level.ready.memory_bytes() + level.delayed.memory_bytes();
  return bytes + leased_.memory_bytes() + dead_.memory_bytes() + done_.memory_bytes();
}

void Queue::check() const {
  std::size_t seen = 0;
  std::uint64_t bytes = 0;
  const auto walk = [&](const Line& line, JobState state, int priority) {
    line.check();
    std::size_t of_line = 0;
    line.visit(0, [&](const Line::Entry& entry) {
      const Job& job = slab_[entry.slot];
      SCORELINE_CHECK(job.state == state && job.key() == entry.key);
      SCORELINE_CHECK(priority < 0 || job.priority == priority);
      SCORELINE_CHECK((job.receipt != 0) == (state == JobState::leased));
      SCORELINE_CHECK(slot_of(job.id()) == entry.slot);
      bytes += job.id_bytes + job.payload_bytes;
      ++of_line;
      return true;
    });
    seen += of_line;
  };
  std::size_t leased = 0;
  for (int priority = 0; priority < kPriorities; ++priority) {
    const Level& level = levels_[static_cast<std::size_t>(priority)];
    walk(level.ready, JobState::ready, priority);
    walk(level.delayed, JobState::delayed, priority);
    leased += level.leased;
  }
  walk(leased_, JobState::leased, -1);
  walk(dead_, JobState::dead, -1);
  walk(done_, JobState::done, -1);
  SCORELINE_CHECK(leased == leased_.size());
  SCORELINE_CHECK(seen == ids_.size() && bytes == payload_bytes_);
}

}  // namespace scoreline::queues
