// The takes of one queue that this process has not answered: first come, first served.
//
// Thread safety: none; the lock of the lanes around every call. Times come in with the calls.
// Invariants: tickets ascend, and are the order of the line.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "queues/job_store.h"

namespace scoreline::redis {

using TakeDone = queues::JobStore::Done<std::vector<queues::StoredJob>>;

struct Taker {
  std::size_t max = 1;
  std::optional<std::chrono::milliseconds> lease;
  std::optional<Monotonic> until;  ///< absent: it does not wait
  TakeDone done;
};

class TakeLine {
 public:
  struct Asked {
    std::uint64_t ticket = 0;
    std::size_t max = 0;
    std::optional<std::chrono::milliseconds> lease;
  };
  /// The takers that one script asks for.
  struct Look {
    std::vector<Asked> asked;
    std::size_t wanted = 0;     ///< jobs in all
    std::uint64_t covered = 0;  ///< the last ticket in the line when it began
    bool waits = false;         ///< somebody of the line waits
  };
  struct Answer {
    TakeDone done;
    Result<std::vector<queues::StoredJob>> jobs;
  };
  /// What a look led to.
  struct Settled {
    std::vector<Answer> answers;
    std::vector<std::uint64_t> tickets;       ///< of the answers
    std::vector<queues::StoredJob> unwanted;  ///< leased for takers that had been cancelled meanwhile
    bool again = false;                       ///< there may be more for those who are left
  };

  bool empty() const { return takers_.empty(); }
  void add(std::uint64_t ticket, Taker taker) { takers_.emplace(ticket, std::move(taker)); }
  Look begin_look() const;
  /// `got`: of each that was asked for, in their order; fewer when the script did not come to the last ones.
  Settled settle(const Look& look, std::vector<std::vector<queues::StoredJob>> got);
  Settled settle(const Look& look, const Error& error);
  /// Takes one out; nothing when it has been answered.
  std::optional<TakeDone> remove(std::uint64_t ticket);
  /// Its wait is over. While it is being looked for, the look answers it.
  void end_wait(std::uint64_t ticket);
  std::vector<TakeDone> remove_all();

 private:
  void answer(std::uint64_t ticket, Result<std::vector<queues::StoredJob>> jobs, Settled& settled);

  std::map<std::uint64_t, Taker> takers_;
};

}  // namespace scoreline::redis
