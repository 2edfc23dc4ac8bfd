#include "leaderboards/board_drift.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "leaderboards/player_folds.h"
#include "ordered/member_hash.h"

namespace scoreline::leaderboards {
namespace {

/// How often who differs is looked at again. Each time only those remain who had a result in that very moment.
constexpr int kLooks = 4;
/// More than this do not differ by what came meanwhile.
constexpr std::size_t kMaxLookedAt = 100'000;

/// One walk over a board beside its fold.
class Walk {
 public:
  explicit Walk(const FoldedBoard& folded) : folded_(folded), agreed_(folded.size(), false) {}

  Result<void> run(const RankIndex& index) {
    auto page = index.range(folded_.board(), 1, kMaxEntries);
    while (page && !page->entries.empty()) {
      for (const Entry& entry : page->entries) look_at(entry);
      const Entry last = page->entries.back();
      page = index.range_after(folded_.board(), last.player, last.standing, kMaxEntries);
    }
    if (!page) return fail(page.error());
    for (std::size_t place = 0; place < folded_.size(); ++place) {
      if (!agreed_[place]) suspects_.emplace(folded_.player(place));
    }
    // Who moved while the board was walked over may have been met twice.
    for (const std::string& player : suspects_) {
      if (const auto place = folded_.place_of(player)) agreed_[*place] = false;
    }
    return {};
  }

  std::vector<PlayerId> suspects() const {
    std::vector<PlayerId> players;
    for (const std::string& player : suspects_) players.push_back(PlayerId::trusted(player));
    return players;
  }

  /// Of all players but the suspects: the same in the ledger and on the board.
  BoardSum agreed() const {
    BoardSum sum;
    for (std::size_t place = 0; place < folded_.size(); ++place) {
      if (agreed_[place]) sum.add(folded_.player(place), folded_.standing(place));
    }
    return sum;
  }

 private:
  void look_at(const Entry& entry) {
    const auto place = folded_.place_of(entry.player.text());
    if (place && folded_.standing(*place) == entry.standing) {
      agreed_[*place] = true;
    } else {
      suspects_.insert(entry.player.text());
    }
  }

  const FoldedBoard& folded_;
  std::vector<bool> agreed_;
  std::set<std::string> suspects_;
};

Result<std::vector<std::optional<Standing>>> standings_of(const RankIndex& index, const Board& board,
                                                          std::span<const PlayerId> players) {
  std::vector<std::optional<Standing>> all;
  for (std::size_t from = 0; from < players.size(); from += kMaxEntries) {
    const auto part = index.standings(board, players.subspan(from, std::min(kMaxEntries, players.size() - from)));
    if (!part) return fail(part.error());
    all.insert(all.end(), part->begin(), part->end());
  }
  return all;
}

Result<std::vector<Difference>> look(Ledger& ledger, const RankIndex& index, const Board& board,
                                     std::span<const PlayerId> players) {
  const auto standings = standings_of(index, board, players);
  if (!standings) return fail(standings.error());
  const auto folds = folds_of(ledger, board, players);
  if (!folds) return fail(folds.error());
  std::vector<Difference> all;
  for (std::size_t i = 0; i < players.size(); ++i) {
    all.push_back({players[i], (*folds)[i].standing(), (*standings)[i]});
  }
  return all;
}

bool is_drift(const Difference& found) { return found.ledger != found.index; }

}  // namespace

void BoardSum::add(std::string_view player, const Standing& standing) {
  ++players;
  const std::uint64_t of_numbers[] = {static_cast<std::uint64_t>(standing.points),
                                      static_cast<std::uint64_t>(standing.achieved_at.ms), standing.extra};
  const std::string_view bytes(reinterpret_cast<const char*>(of_numbers), sizeof of_numbers);
  checksum += ordered::member_hash(player, ordered::member_hash(bytes, 0));
}

Result<Drift> drift_of(const FoldedBoard& folded, Ledger& ledger, const RankIndex& index) {
  Walk walk(folded);
  if (const auto walked = walk.run(index); !walked) return fail(walked.error());
  Drift drift;
  drift.ledger = drift.index = walk.agreed();
  const auto settle = [&drift](const Difference& found) {
    if (found.ledger) drift.ledger.add(found.player.text(), *found.ledger);
    if (found.index) drift.index.add(found.player.text(), *found.index);
  };

  std::vector<PlayerId> suspects = walk.suspects();
  for (int looks = 1; !suspects.empty(); ++looks) {
    const auto found = look(ledger, index, folded.board(), suspects);
    if (!found) return fail(found.error());
    const bool last = looks == kLooks || suspects.size() > kMaxLookedAt;
    suspects.clear();
    for (const Difference& each : *found) {
      if (is_drift(each) && !last) {
        suspects.push_back(each.player);
        continue;
      }
      settle(each);
      if (!is_drift(each)) continue;
      ++drift.players;
      if (drift.differing.size() < Drift::kMaxShown) drift.differing.push_back(each);
    }
  }
  return drift;
}

}  // namespace scoreline::leaderboards
