// Port: what was done to leaderboards beside results coming in, by whom and why. The log only grows.
//
// Thread safety: `add_to_audit` as the ledger's writes; reads beside everything.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"
#include "base/uuid.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

enum class AuditAction : std::uint8_t {
  hide_player,
  restore_player,
  erase_player,
  void_match,
  define_leaderboard,
  drop_leaderboard,
  open_season,
  close_season,
  rebuild_board,
  repair_board,
};

std::string_view to_string(AuditAction action);  ///< `hide-player`
/// Errors: Code::damaged: only what was written is read.
Result<AuditAction> parse_audit_action(std::string_view text);

/// Who has not said a name, while there are no API keys.
inline constexpr std::string_view kAnonymous = "anonymous";

/// When something was done, by whom, and what else there is to say: a reason, or what it did.
struct AuditNote {
  Timestamp at;
  std::string by{kAnonymous};
  std::string detail = {};
};

/// One thing that was done.
struct AuditEntry {
  AuditAction action = AuditAction::define_leaderboard;
  LeaderboardName leaderboard;
  std::optional<SeasonId> season = {};
  std::optional<PlayerId> player = {};
  std::optional<Uuid> match = {};
  AuditNote note = {};
};

/// From 1, in the order of the log; may leave numbers out.
using AuditId = std::int64_t;

struct StoredAuditEntry {
  AuditId id = 0;
  AuditEntry entry;
};

class AuditLog {
 public:
  virtual ~AuditLog() = default;

  /// Of what no other write of the ledger logs by itself. Errors: as Ledger::append.
  virtual Result<void> add_to_audit(const AuditEntry& entry) = 0;

  /// Of the last entry; 0 while there is none. Whatever an entry up to it tells of has been done.
  virtual Result<AuditId> last_audit_id() = 0;

  /// The entries that follow `after`, at most `limit` (1..kMaxEntries), oldest first.
  virtual Result<std::vector<StoredAuditEntry>> audit_log(AuditId after, std::size_t limit) = 0;
};

}  // namespace scoreline::leaderboards
