#include "adapters/postgres/reader_pool.h"

#include <utility>

namespace scoreline::postgres {

Attempt<Session> ReaderPool::take(Monotonic deadline) {
  {
    std::unique_lock lock(mutex_);
    const auto left = deadline - connector_.clock().monotonic();
    if (!freed_.wait_for(lock, left, [this] { return in_use_ < options_.readers; })) {
      return tl::unexpected<Failure>(Failure{{}, "all connections for reads are busy", false, false});
    }
    ++in_use_;
    while (!idle_.empty()) {
      Session session = std::move(idle_.back());
      idle_.pop_back();
      if (session.is_alive()) return session;
    }
  }
  auto session = connector_.connect(deadline, Connector::When::at_once);
  if (!session) give_back(tl::unexpected<Failure>(session.error()));
  return session;
}

void ReaderPool::give_back(Attempt<Session> session) {
  {
    const std::lock_guard lock(mutex_);
    --in_use_;
    if (session) idle_.push_back(std::move(*session));
  }
  freed_.notify_one();
}

Result<Rows> ReaderPool::read(std::string_view doing, std::span<const Call> calls, std::chrono::milliseconds timeout) {
  const Monotonic deadline = connector_.clock().monotonic() + timeout;
  constexpr int kAttempts = 2;
  for (int attempt = 1;; ++attempt) {
    auto session = take(deadline);
    if (!session) return fail(to_read_error(session.error(), doing));
    auto rows = session->run(calls, deadline);
    const bool lost = !rows && rows.error().connection_lost;
    give_back(lost ? Attempt<Session>(tl::unexpected<Failure>(rows.error())) : std::move(session));
    if (rows) return std::move(rows->back());
    const bool again = (lost || trouble_of(rows.error()) == Trouble::conflict) && attempt < kAttempts &&
                       connector_.clock().monotonic() < deadline;
    if (!again) return fail(to_read_error(rows.error(), doing));
  }
}

}  // namespace scoreline::postgres
