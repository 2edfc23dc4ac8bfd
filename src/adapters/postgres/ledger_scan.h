// Streams the results that count out of one state of the ledger, a few thousand rows at a time; the server reads the
// next ones while the visitor has the last. Memory: two such parts. The server verifies each page it reads when it has
// data checksums.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>

#include "adapters/postgres/session.h"
#include "leaderboards/ledger.h"

namespace scoreline::postgres {

/// A moment in the ledger's history: the oldest transaction that was then still under way.
struct Watermark {
  std::int64_t tx = 0;
  friend constexpr auto operator<=>(Watermark, Watermark) = default;
};

/// Of a row that begins with leaderboard, season, player, match, points and time. The views live as long as `rows`.
leaderboards::LedgerRow ledger_row(const Rows& rows, int row);

struct LedgerScan {
  Session& session;  ///< outside a transaction; after an error it is of no more use
  const Clock& clock;
  std::chrono::milliseconds part_timeout;
  const std::function<void(const leaderboards::LedgerRow&)>& visit;
  const std::function<void(leaderboards::ScanProgress)>& progress;  ///< may be empty

  /// All of it, or what was recorded by transactions that ended after `since`, and maybe a little before.
  Attempt<void> run(std::optional<Watermark> since);

 private:
  Attempt<std::uint64_t> begin(std::optional<Watermark> since);
};

}  // namespace scoreline::postgres
