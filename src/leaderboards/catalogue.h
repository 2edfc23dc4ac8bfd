// Which leaderboards and seasons there are: an in-memory copy of what the ledger keeps.
//
// Thread safety: reads from any thread; changes only from the writer.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "leaderboards/definition.h"
#include "leaderboards/ledger.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

class Catalogue {
 public:
  /// Reads all definitions and makes `main` with the defaults when it is not there.
  static Result<std::unique_ptr<Catalogue>> open(Ledger& ledger);

  /// nullptr-free: Code::not_found, field `leaderboard`.
  Result<std::shared_ptr<const LeaderboardRecord>> find(std::string_view leaderboard) const;
  std::vector<Definition> definitions() const;

  /// The open season with the latest start (seasons without a start count as the earliest; then the highest id);
  /// season 1 while there is none.
  Result<SeasonId> current_season(std::string_view leaderboard) const;

  /// The board of a season; a season nobody has opened yet gives an empty board.
  Result<Board> board(std::string_view leaderboard, SeasonId season) const;

  /// Writer only. Creates, or changes where the boards stay right: else Code::conflict, saying why.
  /// True when it was created.
  Result<bool> put_definition(const Definition& definition);
  /// Writer only. Code::conflict when it is open with another start or end.
  Result<void> open_season(const LeaderboardName& leaderboard, const Season& season);
  /// Writer only.
  Result<void> drop(const LeaderboardName& leaderboard);

 private:
  explicit Catalogue(Ledger& ledger) : ledger_(ledger) {}
  Ledger& ledger_;
  mutable std::shared_mutex mutex_;
  std::map<std::string, std::shared_ptr<const LeaderboardRecord>, std::less<>> records_;
};

}  // namespace scoreline::leaderboards
