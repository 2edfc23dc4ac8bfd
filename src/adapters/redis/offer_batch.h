// The offers of one call of `apply` as the server takes them: one for each player. What became of each offer follows
// from what the board kept of its player before, by the rule that the server goes by too.
//
// Thread safety: none. What it is made of must outlive it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/member_codec.h"
#include "base/error.h"
#include "leaderboards/rank_index.h"

namespace scoreline::redis {

/// Appends what `taking.lua` takes for one offer. Errors: as RankKeyCodec::encode.
Result<void> append_offer(std::vector<std::string>& arguments, const leaderboards::Board& board,
                          const MemberCodec& codec, const leaderboards::Offer& offer);

class OfferBatch {
 public:
  OfferBatch(const leaderboards::Board& board, std::span<const leaderboards::Offer> offers);

  /// For each player, in the order of first offers, the offer that all of its offers come to.
  /// Errors: as RankKeyCodec::encode.
  Result<void> append_to(std::vector<std::string>& arguments) const;

  /// `parts`: what apply.lua returns. One answer per offer. Errors: damaged, storage_failed.
  Result<std::vector<leaderboards::Applied>> answers(const std::vector<Reply>& parts) const;

 private:
  /// What a board keeps of a player.
  struct Kept {
    std::optional<leaderboards::Standing> standing;
    std::uint64_t results = 0;  ///< of a sum: how many made it
  };

  /// Whether the board takes the offer.
  bool take(Kept& kept, const leaderboards::Offer& offer) const;
  Result<Kept> kept_of(std::string_view score, std::string_view beside) const;

  const leaderboards::Board& board_;
  const MemberCodec codec_;
  std::span<const leaderboards::Offer> offers_;
  std::vector<std::size_t> places_;  // of each offer's player among the players
  std::size_t players_ = 0;
};

}  // namespace scoreline::redis
