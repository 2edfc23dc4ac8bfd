// The session that records results, and its mark in the table `writers`: from the mark on, what it records may not be
// on the boards yet. When the session ends, however it ends, the mark stays and its lock goes, and that is how others
// know that they must look after what it left behind.
//
// Thread safety: none.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "adapters/postgres/session.h"

namespace scoreline::postgres {

/// No two marks are equal.
struct Mark {
  std::int32_t writer = 0;
  std::int64_t since = 0;
};
/// Takes a mark away, unless another one has taken its place.
Call unmark_call(const Mark& mark);

class WriterSession {
 public:
  explicit WriterSession(Session session) : session_(std::move(session)) {}

  /// One pipeline, marked before; a mark costs one more commit when there is none yet.
  Attempt<std::vector<Rows>> run(std::span<const Call> calls, Monotonic deadline);
  /// Everything that was recorded is on the boards: the mark to take away, nullopt when there is none. What is recorded
  /// next is marked anew.
  std::optional<Mark> unmark();
  /// Before the session is closed: nobody needs to look for it, unless it is marked.
  void leave(Monotonic deadline);
  bool is_alive() { return session_.is_alive(); }

 private:
  Attempt<void> mark(Monotonic deadline);

  Session session_;
  std::optional<std::int32_t> number_;
  std::optional<std::int64_t> since_;  // of the mark
};

/// What sessions that are gone left behind.
struct LeftBehind {
  std::vector<std::int32_t> writers;
  std::optional<std::int64_t> since;  ///< the oldest mark among them; nullopt: all that they recorded is on the boards
};

/// Reads them.
Call left_behind_call();
LeftBehind left_behind_of(const Rows& rows);
/// Forgets them, once somebody has looked after what they left.
Call forget_writers_call(std::span<const std::int32_t> writers);

}  // namespace scoreline::postgres
