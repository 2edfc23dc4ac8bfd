// Looking into the queues of the embedded store, and what an operator does to them.
#include <utility>

#include "queues/embedded_calls.h"

namespace scoreline::queues {
namespace {

/// Jobs that are dropped or made ready between two looks at the clock.
constexpr std::size_t kLot = 10'000;

std::optional<StoredJob> stored(const std::optional<JobRow>& row) {
  return row ? std::optional(queues::stored(*row)) : std::nullopt;
}

}  // namespace

void EmbeddedJobStore::queues(Done<std::vector<std::string>> done) {
  std::vector<ServedQueue*> all;
  {
    const std::shared_lock lock(names_lock_);
    for (const auto& [name, served] : names_) all.push_back(served);
  }
  std::vector<std::string> there;
  for (ServedQueue* const served : all) {
    const std::lock_guard lock(served->lock);
    if (served->there) there.push_back(served->record.name);
  }
  done(std::move(there));
}

void EmbeddedJobStore::options(std::string_view queue, Done<QueueOptions> done) {
  read(queue, done, [](Turn& turn) -> Result<QueueOptions> { return turn.queue().options(); });
}

void EmbeddedJobStore::set_options(std::string_view queue, const QueueOptions& options, Done<void> done) {
  if (auto ok = check(options); !ok) return done(fail(ok.error()));
  change_setting(queue, true, done, [&](Turn& turn) -> Result<void> {
    const Durability before = std::exchange(turn.served().record.options, options).durability;
    turn.queue().set_options(options);
    turn.note_record();
    const bool keep = options.durability != Durability::memory;
    if (commit_ && turn.is_there() && keep != (before != Durability::memory)) turn.keep_jobs(keep);
    return {};
  });
}

void EmbeddedJobStore::set_paused(std::string_view queue, bool paused, Done<void> done) {
  change_setting(queue, true, done, [&](Turn& turn) -> Result<void> {
    turn.served().record.paused = paused;
    turn.queue().set_paused(paused);
    turn.note_record();
    return {};
  });
}

void EmbeddedJobStore::stats(std::string_view queue, Done<QueueStats> done) {
  read(queue, done, [](Turn& turn) -> Result<QueueStats> { return turn.queue().stats(turn.now()); });
}

void EmbeddedJobStore::find(std::string_view queue, std::string_view id, Done<std::optional<StoredJob>> done) {
  if (auto ok = check_job_id(id); !ok) return done(fail(ok.error()));
  read(queue, done,
       [&](Turn& turn) -> Result<std::optional<StoredJob>> { return stored(turn.queue().find(id, turn.now())); });
}

void EmbeddedJobStore::peek(std::string_view queue, Done<std::optional<StoredJob>> done) {
  read(queue, done,
       [](Turn& turn) -> Result<std::optional<StoredJob>> { return stored(turn.queue().peek(turn.now())); });
}

void EmbeddedJobStore::list(std::string_view queue, const ListSpec& spec, Done<std::vector<StoredJob>> done) {
  if (auto ok = check(spec); !ok) return done(fail(ok.error()));
  read(queue, done, [&](Turn& turn) -> Result<std::vector<StoredJob>> {
    std::vector<StoredJob> jobs;
    turn.queue().list(spec.state, spec.first, spec.count, turn.now(), [&](JobRow row) {
      row.payload = {};
      jobs.push_back(queues::stored(row));
    });
    return jobs;
  });
}

void EmbeddedJobStore::position(std::string_view queue, std::string_view id, Done<std::optional<JobPosition>> done) {
  if (auto ok = check_job_id(id); !ok) return done(fail(ok.error()));
  read(queue, done,
       [&](Turn& turn) -> Result<std::optional<JobPosition>> { return turn.queue().position(id, turn.now()); });
}

void EmbeddedJobStore::purge(std::string_view queue, JobState state, Done<std::uint64_t> done) {
  change(queue, false, done, [&](Turn& turn) -> Result<std::uint64_t> {
    std::uint64_t purged = 0;
    while (const std::size_t lot = turn.queue().purge(state, kLot, turn.now())) purged += lot;
    return purged;
  });
}

void EmbeddedJobStore::remove(std::string_view queue, std::string_view id, Done<bool> done) {
  if (auto ok = check_job_id(id); !ok) return done(fail(ok.error()));
  change(queue, false, done, [&](Turn& turn) -> Result<bool> { return turn.queue().remove(id); });
}

void EmbeddedJobStore::retry_dead(std::string_view queue, std::optional<std::string> id, Done<std::uint64_t> done) {
  if (id) {
    if (auto ok = check_job_id(*id); !ok) return done(fail(ok.error()));
  }
  change(queue, false, done, [&](Turn& turn) -> Result<std::uint64_t> {
    if (id) return turn.queue().retry_dead(*id, turn.now()).map([] { return std::uint64_t{1}; });
    std::uint64_t retried = 0;
    while (const std::size_t lot = turn.queue().retry_dead(kLot, turn.now())) retried += lot;
    return retried;
  });
}

}  // namespace scoreline::queues
