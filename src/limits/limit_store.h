// Port: where is kept what was used of limits. Two stores have it: one in this process (embedded_limit_store.h), one on
// Redis. One contract suite holds both to the same answers.
//
// What is counted has the key (policy, subject, name of the limit, algorithm). The numbers of a limit are no part of
// it: they may be others with each call, and what was used stays used. Another algorithm counts anew.
//
// Time is the store's own, never the caller's. A subject of which nothing is used any more takes no memory.
//
// Errors of every call: Code::invalid with the field (`subject`, `limit`, `window`, `burst`, `cost`, `holder`); of a
// store elsewhere, too: storage_failed and not_ready (nothing was done), overloaded, unknown_outcome.
//
// Thread safety: every call from any thread. Cost: O(1) a limit, O(cost) of a sliding log; one round trip a call.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "limits/values.h"

namespace scoreline::limits {

inline constexpr std::size_t kMaxSubjectBytes = 1'024;
inline constexpr std::size_t kMaxHolderBytes = 128;
inline constexpr std::size_t kMaxLimitsOfPolicy = 8;
inline constexpr std::size_t kMaxChecks = 1'000;  ///< in one call

/// One of the limits of a policy.
struct NamedLimit {
  std::string name;  ///< another one for each limit of a policy; empty for the one of a policy that has only one
  Limit limit;
  friend bool operator==(const NamedLimit&, const NamedLimit&) = default;
};

/// May this subject do that? What it points to lives as long as the call.
struct Check {
  std::string_view policy;             ///< whose limits these are; empty: the caller's own
  std::string_view subject;            ///< 1..kMaxSubjectBytes, any bytes
  std::span<const NamedLimit> limits;  ///< 1..kMaxLimitsOfPolicy, checked (values.h)
  std::uint64_t cost = 1;              ///< 0 looks and takes nothing
  std::string_view holder = {};        ///< of a `concurrency` limit: 1..kMaxHolderBytes; empty for all others
};

/// The answer to a check.
struct Verdict {
  bool allowed = false;             ///< by every limit; then each has been charged, else none
  std::vector<Decision> decisions;  ///< of each limit, in their order. A refused check: as each is, uncharged
};

class LimitStore {
 public:
  virtual ~LimitStore() = default;

  /// Each check for itself, in their order: 1..kMaxChecks. All limits of one check are decided at one moment.
  virtual std::vector<Result<Verdict>> check(std::span<const Check> checks) = 0;
  /// Gives `cost` back that was taken by a check of the same words, to every limit; no more than was taken. Of a
  /// `concurrency` limit: the holder is gone.
  virtual Result<void> refund(const Check& check) = 0;
  /// Nothing is used of the limits of `check` any more; its cost and holder do not matter.
  virtual Result<void> reset(const Check& check) = 0;
};

}  // namespace scoreline::limits
