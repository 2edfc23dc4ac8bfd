// One place at which jobs of a queue are worked on, one after the other: takes a job, runs the program, and tells the
// queue how it ended. While the program runs, every third of the lease the lease is extended. A program whose lease is
// lost, or could not be extended for so long that it has run out, is ended: by then another worker may have the job.
//
// Whatever cannot be reached is asked again, later and later. An idle worker asks anew every two seconds at the latest,
// so that it ends soon after it was told to.
//
// Thread safety: run() on a thread of its own; the Shift that workers share is safe.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "cli/answerer.h"
#include "cli/context.h"
#include "cli/job_process.h"

namespace scoreline::cli {

/// What all workers of one command have together.
struct Shift {
  enum class Stop : std::uint8_t {
    no,
    drain,  ///< no more jobs; those under way are finished
    drop,   ///< those under way are ended and given back
  };

  Shift(const QueueWorkCommand& what, Context& with) : command(what), context(with) {}

  const QueueWorkCommand& command;
  Context& context;
  std::atomic<Stop> stop{Stop::no};
  std::atomic<std::uint64_t> done{0}, failed{0}, given_back{0}, lost{0};
  std::mutex mutex;          // of the next, and of the error stream
  std::optional<Error> end;  ///< why the shift ended by itself

  void tell(const Error& error);
  /// Ends the shift: going on is of no use.
  void give_up(const Error& error);
};

class QueueWorker {
 public:
  /// How long an answer may take, so that a silent server costs no lease.
  static std::chrono::milliseconds answer_deadline(std::chrono::milliseconds lease);

  QueueWorker(Shift& shift, Answerer& answerer) : shift_(shift), answerer_(answerer) {}

  /// Until the shift is to stop.
  void run();

 private:
  struct Job {
    std::string id, payload, priority, attempt, receipt;
    Monotonic until;  ///< the lease lasts at least so long
  };

  Monotonic now() const { return shift_.context.clock.monotonic(); }
  Result<std::optional<Job>> take();
  void work_on(Job job);
  /// Until it ends; nullopt: it had to be ended.
  std::optional<JobProcess::Ended> watch(JobProcess& process, Job& job);
  /// False when the lease is lost.
  bool extend(Job& job);
  void settle(const Job& job, const JobProcess::Ended& ended);
  void give_back(const Job& job);
  Result<std::string> ask(const Job& job, std::string_view deed, std::string more = {});
  /// Waits before something is tried again, and longer each time.
  void pause();

  Shift& shift_;
  Answerer& answerer_;
  Monotonic next_extension_;
  std::chrono::milliseconds pause_{0};  // 0: the last call was answered
};

}  // namespace scoreline::cli
