// What the ledger keeps under the keys of results, read once.
//
// Thread safety: none.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "ingest/validator.h"
#include "leaderboards/ledger.h"
#include "leaderboards/rank_index.h"

namespace scoreline::ingest {

class KeptResults {
 public:
  /// All of one leaderboard. Cost: one look-up each.
  static Result<KeptResults> read(leaderboards::Ledger& ledger, std::vector<leaderboards::MatchResult> like);

  /// Whether other content is kept under the key of `accepted`, one of those it was read for. What does not count any
  /// more is in nobody's way, and a time that was not given is not compared.
  bool conflicts_with(const Accepted& accepted) const;

  /// Whether the very content of `accepted` is kept and counts.
  bool counts(const Accepted& accepted) const;

  /// What of it `board` must show, whose rule is not sum.
  std::vector<leaderboards::Offer> offers_to(const leaderboards::Board& board) const;

 private:
  struct Key {
    Uuid match_id;
    std::string_view player;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Kept {
    leaderboards::SeasonId season;
    leaderboards::Standing standing;
  };

  std::vector<leaderboards::MatchResult> like_;  // the keys point into it
  std::unordered_map<Key, std::optional<Kept>, KeyHash> kept_;
};

}  // namespace scoreline::ingest
