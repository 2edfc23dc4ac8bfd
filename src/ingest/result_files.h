// Ports: results and boards as files. What reads or writes a format implements one of these; the commands see no more.
//
// Thread safety: none; one object, one thread. Memory: one row at a time, however long the file is.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/timestamp.h"
#include "ingest/pipeline.h"
#include "leaderboards/ledger.h"

namespace scoreline::ingest {

/// One row of a file of results, readable or not.
struct SourceRow {
  std::uint64_t line = 0;  ///< where it begins, from 1
  std::string_view text;   ///< as it stands, without its line end; cut when it is over kMaxLineBytes. Until `next`
  Result<Submission> submission;
};

class ResultSource {
 public:
  virtual ~ResultSource() = default;
  /// The next row; nullopt at the end. Errors: unreadable, when the file as a whole cannot be read on.
  virtual Result<std::optional<SourceRow>> next() = 0;
  /// What the file calls a field of a result: a CSV has a column `player_id` for `playerId`.
  virtual std::string_view name_of(std::string_view field) const { return field; }
  /// Of the file so far: for progress.
  virtual std::uint64_t bytes_read() const = 0;
  /// nullopt when nobody knows: a pipe.
  virtual std::optional<std::uint64_t> bytes_total() const = 0;
};

/// A result that was not taken, and why.
struct RejectedRow {
  std::uint64_t line = 0;
  const Error& error;
  std::string_view text;
};

class RejectedSink {
 public:
  virtual ~RejectedSink() = default;
  virtual Result<void> write(const RejectedRow& row) = 0;
  /// Everything written so far is in the file.
  virtual Result<void> flush() = 0;
};

class ResultSink {
 public:
  virtual ~ResultSink() = default;
  virtual Result<void> write(const leaderboards::LedgerRow& row) = 0;
  /// Call last: errors of writing may show only now.
  virtual Result<void> finish() = 0;
};

/// One of the criteria after the points, as it is shown.
struct ShownCriterion {
  std::string name;
  std::string value;  ///< a JSON number
};

/// An entry of a board, with its points as a JSON number.
struct BoardRow {
  std::uint64_t rank = 0;
  std::string_view player;
  std::string_view points;
  Timestamp achieved_at;
  std::span<const ShownCriterion> criteria = {};  ///< the same ones in each row
};

class BoardSink {
 public:
  virtual ~BoardSink() = default;
  virtual Result<void> write(const BoardRow& row) = 0;
  /// Call last: errors of writing may show only now.
  virtual Result<void> finish() = 0;
};

}  // namespace scoreline::ingest
