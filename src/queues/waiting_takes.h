// The takes that wait at one queue, first come, first served.
//
// Thread safety: none; the lock of its queue.
// Cost: O(log n) a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "queues/job_store.h"

namespace scoreline::queues {

struct WaitingTake {
  std::size_t max = 1;
  std::optional<std::chrono::milliseconds> lease;  ///< absent: as the queue says when it is served
  Monotonic until;                                 ///< the end of its wait
  JobStore::Done<std::vector<StoredJob>> done;
};

class WaitingTakes {
 public:
  bool empty() const { return takes_.empty(); }
  std::size_t size() const { return takes_.size(); }

  /// `number` is greater than any before it.
  void add(std::uint64_t number, WaitingTake take);
  /// Not of none.
  const WaitingTake& front() const { return takes_.begin()->second; }
  WaitingTake pop_front() { return take_out(takes_.begin()); }
  /// nullopt when it does not wait (any more).
  std::optional<WaitingTake> remove(std::uint64_t number);
  /// One whose wait is over.
  std::optional<WaitingTake> pop_ended(Monotonic now);
  std::optional<Monotonic> next_end() const;

 private:
  using Takes = std::map<std::uint64_t, WaitingTake>;
  WaitingTake take_out(Takes::iterator at);

  Takes takes_;
  std::set<std::pair<Monotonic, std::uint64_t>> ends_;
};

}  // namespace scoreline::queues
