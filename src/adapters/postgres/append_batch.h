// One batch of results as the calls that record it, and the server's answers as ours.
//
// Rows are sent once each and in the order of their key: two nodes that record the same results meet in the same order,
// so neither waits for the other in turn (no deadlock), and the key's tree is walked from left to right.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "adapters/postgres/session.h"
#include "leaderboards/ledger.h"

namespace scoreline::postgres {

class AppendBatch {
 public:
  /// `batch` must live as long as this.
  explicit AppendBatch(std::span<const leaderboards::MatchResult> batch);

  /// One pipeline: a lock on the leaderboards' definitions, which seasons are closed, then the rows in statements of at
  /// most kMaxRows.
  std::vector<Call> calls() const;
  /// One answer per result of the batch, in its order; one of a closed season may be there all the same. `rows`: one
  /// per call.
  std::vector<leaderboards::Recorded> answers(std::span<const Rows> rows) const;

 private:
  static constexpr std::size_t kMaxRows = 2'000;
  static constexpr std::size_t kRowsFrom = 2;  // calls before the first that records

  Call lock_call() const;
  Call closed_seasons_call() const;
  void answer_closed(const Rows& closed, std::vector<leaderboards::Recorded>& to) const;
  Call insert_call(std::span<const std::uint32_t> places) const;
  void answer(std::span<const std::uint32_t> places, const Rows& rows, std::vector<leaderboards::Recorded>& to) const;

  std::span<const leaderboards::MatchResult> batch_;
  std::vector<std::uint32_t> places_;  // in batch_, by key, the first of equal ones only
};

}  // namespace scoreline::postgres
