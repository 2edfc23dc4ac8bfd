// Port: where a command's results and boards live: a data folder opened by this process, or a running server.
//
// Thread safety: none; one command, one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"
#include "ingest/pipeline.h"
#include "ingest/result_files.h"

namespace scoreline::cli {

/// An entry as it is shown.
struct ShownEntry {
  std::uint64_t rank = 0;
  std::string player;
  std::string points;                                 ///< a JSON number
  std::string achieved_at;                            ///< RFC 3339
  std::vector<ingest::ShownCriterion> criteria = {};  ///< those after the points, the same ones in all entries
};

struct ShownBoard {
  std::int64_t season = 0;
  std::uint64_t players = 0;  ///< on the whole board
  std::vector<ShownEntry> entries;
  /// Of a board with one entry that was asked for by its player: the share of the players that it is level with or
  /// ahead of, in percent, as a JSON number.
  std::string percentile = {};
};

/// What became of a batch.
struct BatchOutcome {
  std::uint64_t improved = 0;
  std::uint64_t unchanged = 0;
  std::uint64_t duplicate = 0;
  std::vector<std::pair<std::size_t, Error>> rejected;  ///< index in the batch, from 0, and why
};

/// One side of a comparison.
struct ShownSum {
  std::uint64_t players = 0;
  std::string checksum;  ///< 16 hexadecimal digits
};

struct ShownDifference {
  std::string player;
  std::string ledger;  ///< `12.5, winRate 61.5 at 2026-10-12T18:00:00Z`; empty: not there
  std::string index;
};

struct ShownDrift {
  std::int64_t season = 0;
  ShownSum ledger;
  ShownSum index;
  std::uint64_t players = 0;  ///< how many differ
  std::vector<ShownDifference> differing;
  bool repaired = false;
};

/// A player's place on a board and by a recount of the ledger; each has one entry, or none when the player is absent.
struct ShownAudit {
  ShownBoard shown;
  ShownBoard recounted;
  bool agrees = false;
};

/// A line of the audit log.
struct ShownAuditEntry {
  std::int64_t id = 0;
  std::string at;  ///< RFC 3339
  std::string action;
  std::string about;  ///< `main season 12 player alice match …`, as far as each is meant
  std::string by;
  std::string detail;
};

/// What became of a player, in words.
inline std::string told_erased(std::uint64_t results) {
  return "erased; results that stopped counting: " + std::to_string(results);
}
inline std::string told_hidden(bool hidden, bool is_new) {
  if (hidden) return is_new ? "hidden" : "was hidden already";
  return is_new ? "restored" : "was not hidden";
}

class Store {
 public:
  virtual ~Store() = default;

  /// 1..kMaxBatch results, all for one leaderboard. Errors of the whole call: not_found (no such leaderboard);
  /// overloaded, not_ready, unknown_outcome (all three: send the same again); storage_failed, storage_full.
  virtual Result<BatchOutcome> submit(const std::vector<ingest::Submission>& batch) = 0;

  /// `limit` entries from rank `first` (from 1) on. At most kMaxEntries.
  virtual Result<ShownBoard> range(const BoardChoice& board, std::uint64_t first, std::size_t limit) = 0;
  /// No entries when the player is absent.
  virtual Result<ShownBoard> around(const BoardChoice& board, const std::string& player, std::size_t radius) = 0;

  /// One player's entry and percentile. No entries when the player is absent.
  virtual Result<ShownBoard> place(const BoardChoice& board, const std::string& player) = 0;

  /// Counts the player's rank again from the ledger.
  virtual Result<ShownAudit> audit_rank(const BoardChoice& board, const std::string& player) = 0;

  /// What became of the player, in a few words: `hidden`, `was hidden already`.
  virtual Result<std::string> moderate(const PlayerCommand& command) = 0;
  /// At most kMaxEntries.
  virtual Result<std::vector<ShownAuditEntry>> audit_log(std::int64_t after, std::size_t limit) = 0;

  /// Results read so far, of how many.
  using OnProgress = std::function<void(std::uint64_t done, std::uint64_t total)>;
  /// Makes the board again from the ledger; its season. Errors: conflict while another process makes it.
  virtual Result<std::int64_t> rebuild(const BoardChoice& board, const OnProgress& progress) = 0;
  /// Compares the board with the ledger, and makes it again when they differ and `repair` says so.
  virtual Result<ShownDrift> reconcile(const BoardChoice& board, bool repair, const OnProgress& progress) = 0;
};

}  // namespace scoreline::cli
