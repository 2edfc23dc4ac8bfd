#include "redis/made_offers.h"

#include <fmt/format.h>

#include <algorithm>

#include "leaderboards/rank_key_codec.h"

namespace scoreline::bench {

using leaderboards::Offer;
using leaderboards::PlayerId;

std::string made_player(std::uint64_t number) { return fmt::format("id-{:012}", number); }

Offer MadeOffers::offer_for(std::uint64_t player) {
  ++made_;
  const Timestamp at{board_.season_start.ms + static_cast<std::int64_t>(made_)};
  return Offer{PlayerId::trusted(made_player(player)), {static_cast<std::int64_t>(random_.below(kPoints)), at}, made_};
}

std::vector<Offer> MadeOffers::next(std::size_t count) {
  std::vector<Offer> offers;
  offers.reserve(count);
  while (offers.size() < count) offers.push_back(offer_for(random_.below(players_)));
  return offers;
}

std::vector<Offer> MadeOffers::everyone() {
  std::vector<Offer> offers;
  offers.reserve(players_);
  for (std::uint64_t player = 0; player < players_; ++player) offers.push_back(offer_for(player));
  const leaderboards::RankKeyCodec codec(board_);
  std::sort(offers.begin(), offers.end(), [&](const Offer& a, const Offer& b) {
    const auto first = codec.encode_valid(a.standing);
    const auto second = codec.encode_valid(b.standing);
    return first != second ? first < second : a.player < b.player;
  });
  return offers;
}

}  // namespace scoreline::bench
