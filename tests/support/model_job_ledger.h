// A ledger of jobs as plain maps, which fails when it is told to.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "queues/job_ledger.h"

namespace scoreline::test {

class ModelJobLedger final : public queues::JobLedger {
 public:
  enum class Fault {
    none,
    full,          ///< nothing is kept
    lost_answer,   ///< kept, and the answer is lost
    lost_request,  ///< nothing is kept, and nobody knows
    away,          ///< nothing is kept, and nothing can be read either
    broken,        ///< nothing is kept, and never will be again
  };

  Result<void> load(const std::function<void(const queues::QueueRecord&)>& queue,
                    const std::function<void(const queues::ScheduleRecord&)>& schedule,
                    const std::function<void(queues::QueueNumber, const queues::JobRow&)>& job) override {
    for (const auto& [number, record] : queues) queue(record);
    for (const auto& [key, record] : schedules) schedule(record);
    for (const auto& [key, kept] : jobs) job(key.first, kept.row());
    return {};
  }

  Result<void> find(queues::QueueNumber queue, std::span<const std::uint64_t> sequences,
                    const std::function<void(const queues::JobRow&)>& job) override {
    if (away > 0) {
      --away;
      return fail(Code::storage_failed, "the ledger is away");
    }
    for (const std::uint64_t sequence : sequences) {
      if (const auto at = jobs.find({queue, sequence}); at != jobs.end()) job(at->second.row());
    }
    return {};
  }

  Result<void> commit(const queues::LedgerBatch& batch, queues::Durability durability) override {
    ++commits;
    written += batch.jobs.size();
    synced += durability == queues::Durability::disk;
    if (failure) return fail(*failure);
    const Fault fault = next ? next() : Fault::none;
    if (fault == Fault::none || fault == Fault::lost_answer) keep(batch);
    switch (fault) {
      case Fault::none: return {};
      case Fault::full: return fail(Code::storage_full, "no room");
      case Fault::lost_answer:
      case Fault::lost_request: return fail(Code::unknown_outcome, "the answer was lost");
      case Fault::away: away = 2; return fail(Code::storage_failed, "the ledger is away");
      case Fault::broken: failure = Error{Code::storage_failed, "the disk is broken", {}, {}}; return fail(*failure);
    }
    return {};
  }

  std::optional<Error> write_failure() const override { return failure; }

  std::map<queues::QueueNumber, queues::QueueRecord> queues;
  std::map<std::pair<queues::QueueNumber, std::string>, queues::ScheduleRecord> schedules;
  std::map<std::pair<queues::QueueNumber, std::uint64_t>, queues::StoredJob> jobs;
  std::function<Fault()> next;  ///< of each commit
  std::optional<Error> failure;
  int away = 0;  ///< finds that will fail
  int commits = 0, synced = 0;
  std::size_t written = 0;  ///< changes of jobs, kept or not

 private:
  void keep(const queues::LedgerBatch& batch) {
    for (const auto& record : batch.queues) queues[record.number] = record;
    for (const auto& record : batch.schedules) {
      const std::pair key(record.queue, record.schedule.name);
      record.dropped ? static_cast<void>(schedules.erase(key)) : static_cast<void>(schedules[key] = record);
    }
    for (const auto& [queue, change, job] : batch.jobs) {
      const std::pair key(queue, job.sequence);
      if (change == queues::Change::removed) {
        jobs.erase(key);
      } else if (change == queues::Change::added) {
        jobs[key] = job;
      } else if (const auto at = jobs.find(key); at != jobs.end()) {
        queues::StoredJob now = job;
        now.id = at->second.id;
        if (change == queues::Change::updated) now.payload = at->second.payload;
        at->second = std::move(now);
      }
    }
  }
};

}  // namespace scoreline::test
