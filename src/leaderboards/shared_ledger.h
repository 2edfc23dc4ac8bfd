// Port: what a ledger that several processes write to tells beyond Ledger: what the others did, and what they left.
//
// Thread safety: as Ledger; the reads here may run beside everything else.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "leaderboards/ledger.h"

namespace scoreline::leaderboards {

/// A process that recorded results, or one connection of it.
using WriterId = std::int32_t;

class SharedLedger : public Ledger {
 public:
  /// Names this ledger and its history: another one after the tables were made again or restored into another database,
  /// and after a standby took over (which may lack what was answered). An index built from another identity is stale.
  virtual Result<std::string> identity() = 0;

  /// Everything that this process has appended is on the boards: nobody needs to look after it. At once; not beside
  /// append.
  virtual void all_shown() = 0;
  /// Has the other processes know of the last all_shown(). Beside everything else.
  virtual Result<void> tell_all_shown() = 0;
  /// Visits the results that processes which are gone had recorded and may not have shown on the boards, and perhaps
  /// others; and what the audit log has since, of which they may not have heard when they last showed something.
  /// Returns who is gone; forget_writers() of them, once the boards have these results and have followed these changes.
  virtual Result<std::vector<WriterId>> scan_left_behind(
      const std::function<void(const LedgerRow&)>& visit,
      const std::function<void(const AuditEntry&)>& visit_change) = 0;
  virtual Result<void> forget_writers(std::span<const WriterId> writers) = 0;
};

}  // namespace scoreline::leaderboards
