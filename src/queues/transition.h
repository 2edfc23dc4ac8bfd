// A change of one job, as a value: what a ledger writes, and what makes the queue again from what it wrote.
//
// A job is one row that is updated in place. Rows alone, in any order, make the queue again (Queue::restore): the order
// is in (priority, run_at, sequence), so falling due changes no row.
#pragma once

#include <cstdint>

#include "queues/values.h"

namespace scoreline::queues {

enum class Change : std::uint8_t {
  added,    ///< a new row, with its id and payload
  updated,  ///< everything of the row but id and payload may have changed
  emptied,  ///< as updated, and its payload is gone: the job is done, its id taken still
  removed,  ///< the row is gone
};

struct Transition {
  Change change = Change::updated;
  JobRow row;
};

/// Hears of every change, in order, before the call that made it returns. Must not call the queue.
class Transitions {
 public:
  virtual ~Transitions() = default;
  virtual void record(const Transition& transition) = 0;
};

}  // namespace scoreline::queues
