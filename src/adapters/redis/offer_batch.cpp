#include "adapters/redis/offer_batch.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "adapters/redis/script_answer.h"
#include "leaderboards/rules.h"

namespace scoreline::redis {

using leaderboards::Applied;
using leaderboards::Board;
using leaderboards::Offer;
using leaderboards::Rule;
using leaderboards::Standing;

Result<void> append_offer(std::vector<std::string>& arguments, const Board& board, const MemberCodec& codec,
                          const Offer& offer) {
  auto stored = codec.encode(offer.standing);
  if (!stored) return fail(std::move(stored).error());
  arguments.push_back(std::move(stored->score));
  arguments.push_back(offer.player.text());
  if (codec.prefix_bytes() > 0) arguments.push_back(std::move(stored->prefix));
  if (board.rule == Rule::sum) arguments.push_back(std::to_string(offer.results));
  return {};
}

OfferBatch::OfferBatch(const Board& board, std::span<const Offer> offers)
    : board_(board), codec_(board), offers_(offers) {
  std::unordered_map<std::string_view, std::size_t> known;
  known.reserve(offers.size());
  places_.reserve(offers.size());
  for (const Offer& offer : offers) {
    places_.push_back(known.try_emplace(offer.player.text(), known.size()).first->second);
  }
  players_ = known.size();
}

bool OfferBatch::take(Kept& kept, const Offer& offer) const {
  if (board_.rule == Rule::sum) {
    if (kept.standing && offer.results > 0 && offer.results < kept.results) return false;
    kept.results = std::max(kept.results, offer.results);
  }
  const auto time = leaderboards::kept_time(board_, offer.standing.achieved_at);
  const Standing offered{offer.standing.points, time, offer.standing.extra};
  if (kept.standing && !leaderboards::replaces(board_, *kept.standing, offered)) return false;
  kept.standing = offered;
  return true;
}

Result<void> OfferBatch::append_to(std::vector<std::string>& arguments) const {
  std::vector<Kept> kept(players_);
  std::vector<const Offer*> last(players_);
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    if (const auto valid = codec_.check(offers_[i].standing); !valid) return valid;
    if (take(kept[places_[i]], offers_[i])) last[places_[i]] = &offers_[i];
  }
  for (std::size_t place = 0; place < players_; ++place) {
    Offer offer{last[place]->player, *kept[place].standing, last[place]->results};
    // A total that counts always, for nobody knows of how many results it is, stays one.
    if (offer.results > 0) offer.results = kept[place].results;
    if (const auto encoded = append_offer(arguments, board_, codec_, offer); !encoded) return encoded;
  }
  return {};
}

Result<OfferBatch::Kept> OfferBatch::kept_of(std::string_view score, std::string_view beside) const {
  if (score.empty()) return Kept{};
  const std::size_t prefix = std::min(codec_.prefix_bytes(), beside.size());
  const auto standing = codec_.decode(score, beside.substr(0, prefix));
  if (!standing) return fail(standing.error());
  Kept kept{*standing, 0};
  std::from_chars(beside.data() + prefix, beside.data() + beside.size(), kept.results);
  return kept;
}

Result<std::vector<Applied>> OfferBatch::answers(const std::vector<Reply>& parts) const {
  std::string_view scores = parts[1].text;
  const auto& beside = parts[2].elements;
  if (static_cast<std::size_t>(std::count(scores.begin(), scores.end(), ' ')) + 1 != players_) return strange_answer();
  std::vector<Kept> kept;
  kept.reserve(players_);
  for (std::size_t place = 0; place < players_; ++place) {
    const std::string_view score = scores.substr(0, scores.find(' '));
    scores.remove_prefix(std::min(score.size() + 1, scores.size()));
    auto of_player = kept_of(score, place < beside.size() ? std::string_view(beside[place].text) : "");
    if (!of_player) return fail(std::move(of_player).error());
    kept.push_back(*std::move(of_player));
  }
  std::vector<Applied> applied(offers_.size());
  for (std::size_t i = 0; i < offers_.size(); ++i) {
    const std::size_t place = places_[i];
    applied[i].changed = take(kept[place], offers_[i]);
    applied[i].standing = *kept[place].standing;
    applied[i].previous_rank = rank_in(parts[3], place);
    applied[i].rank = rank_in(parts[4], place);
  }
  return applied;
}

}  // namespace scoreline::redis
