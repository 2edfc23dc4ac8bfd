// Hears what becomes of the jobs of one queue, and keeps it as values of their own until they go to the ledger.
//
// Thread safety: none; the lock of its queue.
// Cost: a copy of the id and payload of a job that is added, of its last reason when it has one, and O(1) else.
#pragma once

#include <utility>
#include <vector>

#include "queues/job_ledger.h"
#include "queues/transition.h"

namespace scoreline::queues {

class Recorder final : public Transitions {
 public:
  void record(const Transition& transition) override {
    if (!on_) return;
    JobRow row = transition.row;
    if (transition.change != Change::added) row.id = row.payload = {};
    if (transition.change == Change::removed) row.reason = {};
    changes_.push_back({queue_, transition.change, stored(row)});
  }

  /// From here on it keeps the changes of a queue, or (off) lets them pass.
  void turn_on(QueueNumber queue) {
    queue_ = queue;
    on_ = true;
  }
  void turn_off() { on_ = false; }
  bool is_on() const { return on_; }

  bool empty() const { return changes_.empty(); }
  std::vector<JobChange> take() { return std::exchange(changes_, {}); }

 private:
  QueueNumber queue_ = 0;
  bool on_ = false;
  std::vector<JobChange> changes_;
};

}  // namespace scoreline::queues
