#include "ingest/kept_results.h"

#include <cstring>
#include <functional>
#include <string>
#include <utility>

namespace scoreline::ingest {

using leaderboards::MatchResult;

std::size_t KeptResults::KeyHash::operator()(const Key& key) const noexcept {
  std::size_t halves[2];
  static_assert(sizeof halves == sizeof key.match_id.bytes);
  std::memcpy(halves, key.match_id.bytes.data(), sizeof halves);
  return halves[0] ^ halves[1] * 31 ^ std::hash<std::string_view>{}(key.player);
}

Result<KeptResults> KeptResults::read(leaderboards::Ledger& ledger, std::vector<MatchResult> like) {
  KeptResults all;
  all.like_ = std::move(like);
  all.kept_.reserve(all.like_.size());
  for (const MatchResult& result : all.like_) {
    all.kept_.emplace(Key{result.match_id, result.player.text()}, std::nullopt);
  }
  const auto read = ledger.visit_kept(all.like_, [&](const leaderboards::LedgerRow& row) {
    all.kept_.at({row.match_id, row.player}) = Kept{row.season, result_of(row)};
  });
  if (!read) return fail(read.error());
  return all;
}

bool KeptResults::conflicts_with(const Accepted& accepted) const {
  const MatchResult& result = accepted.result;
  const auto& kept = kept_.at({result.match_id, result.player.text()});
  if (!kept) return false;
  return kept->season != result.season || kept->standing.points != result.points ||
         kept->standing.extra != result.extra ||
         (accepted.own_time && kept->standing.achieved_at != result.achieved_at);
}

bool KeptResults::counts(const Accepted& accepted) const {
  const MatchResult& result = accepted.result;
  const auto& kept = kept_.at({result.match_id, result.player.text()});
  return kept && kept->season == result.season && kept->standing == result_of(result);
}

std::vector<leaderboards::Offer> KeptResults::offers_to(const leaderboards::Board& board) const {
  std::vector<leaderboards::Offer> offers;
  for (const auto& [key, kept] : kept_) {
    // Another season may have taken the match before.
    if (!kept || kept->season != board.id.season || !board.span.contains(kept->standing.achieved_at)) continue;
    offers.push_back({leaderboards::PlayerId::trusted(std::string(key.player)), kept->standing});
  }
  return offers;
}

}  // namespace scoreline::ingest
