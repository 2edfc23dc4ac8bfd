#include "leaderboards/rank_audit.h"

#include <set>
#include <string_view>
#include <utility>

#include "leaderboards/rank_key_codec.h"

namespace scoreline::leaderboards {
namespace {

constexpr int kCounts = 3;

bool same(const std::optional<Place>& one, const std::optional<Place>& other) {
  if (!one || !other) return !one && !other;
  return one->entry == other->entry && one->players == other->players;
}

}  // namespace

bool RankAudit::agrees() const { return same(shown, recounted); }

std::optional<Place> recount(const FoldedBoard& folded, const PlayerId& player) {
  const auto own = folded.place_of(player.text());
  if (!own) return std::nullopt;
  const RankKeyCodec codec(folded.board());
  const auto key_of = [&](std::size_t place) { return codec.encode_valid(folded.standing(place)).value; };
  const auto own_key = key_of(*own);
  const bool descending = folded.board().order == Order::descending;
  const auto placed = [&](std::uint64_t rank, std::uint64_t above) {
    return Place{{rank, player, codec.decode(codec.encode_valid(folded.standing(*own)))}, folded.size(), above};
  };
  std::uint64_t above = 0;
  if (folded.board().shares_ranks()) {
    const auto own_class = codec.class_of({own_key}).value;
    std::set<ordered::Uint128> classes_above;
    for (std::size_t place = 0; place < folded.size(); ++place) {
      const auto there = codec.class_of({key_of(place)}).value;
      if (there == own_class || (there > own_class) != descending) continue;
      ++above;
      classes_above.insert(there);
    }
    return placed(folded.board().ties == Ties::dense ? classes_above.size() + 1 : above + 1, above);
  }
  for (std::size_t place = 0; place < folded.size(); ++place) {
    const auto key = key_of(place);
    const std::string_view id = folded.player(place);
    const bool behind = key < own_key || (key == own_key && id < player.text());
    if (place != *own && behind != descending) ++above;
  }
  return placed(above + 1, above);
}

Result<RankAudit> audit_rank(const BoardReader& reader, const Board& board, const PlayerId& player,
                             const std::function<Result<void>(FoldedBoard&)>& read_ledger, std::uint64_t hash_seed) {
  auto before = reader.place_of(board, player);
  for (int count = 1;; ++count) {
    if (!before) return fail(std::move(before).error());
    TallyArena arena;
    FoldedBoard folded(board, arena, hash_seed);
    if (const auto read = read_ledger(folded); !read) return fail(read.error());
    const auto recounted = recount(folded, player);
    if (same(*before, recounted)) return RankAudit{*before, recounted};
    auto after = reader.place_of(board, player);
    if (!after) return fail(std::move(after).error());
    if (same(*after, recounted) || same(*before, *after) || count == kCounts) return RankAudit{*after, recounted};
    before = std::move(after);
  }
}

}  // namespace scoreline::leaderboards
