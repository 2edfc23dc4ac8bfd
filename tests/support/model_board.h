// What a board must be, told the slow way: every result of it in a list, standings by definition, ranks by sorting.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "leaderboards/definition.h"
#include "leaderboards/values.h"

namespace scoreline::test {

class ModelBoard {
 public:
  explicit ModelBoard(leaderboards::Board board) : board_(std::move(board)) {}

  void add(const std::string& player, std::int64_t points, Timestamp achieved_at, std::uint64_t extra = 0) {
    if (board_.key == leaderboards::KeyKind::packed) {
      achieved_at.ms = board_.season_start.ms + (achieved_at.ms - board_.season_start.ms) / 1000 * 1000;
    }
    results_[player].push_back({points, achieved_at, extra});
  }
  void erase(const std::string& player) { results_.erase(player); }

  std::optional<leaderboards::Standing> standing(const std::string& player) const {
    const auto at = results_.find(player);
    return at == results_.end() ? std::nullopt : std::optional(standing_of(at->second));
  }

  /// All of them, the first one first.
  std::vector<leaderboards::Entry> entries() const {
    std::vector<leaderboards::Entry> entries;
    for (const auto& [player, results] : results_) {
      entries.push_back({0, leaderboards::PlayerId::trusted(player), standing_of(results)});
    }
    std::sort(entries.begin(), entries.end(), [this](const auto& a, const auto& b) { return is_above(a, b); });
    give_ranks(entries);
    return entries;
  }

 private:
  using Results = std::vector<leaderboards::Standing>;

  leaderboards::Standing standing_of(const Results& results) const {
    using leaderboards::Rule;
    switch (board_.rule) {
      case Rule::best: return extreme(results, true);
      case Rule::least: return extreme(results, false);
      case Rule::latest: return last(results);
      case Rule::sum: return total(results);
    }
    return {};
  }

  /// Equals: the same points and criteria.
  void give_ranks(std::vector<leaderboards::Entry>& entries) const {
    std::uint64_t distinct = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const bool level = i > 0 && entries[i].standing.points == entries[i - 1].standing.points &&
                         entries[i].standing.extra == entries[i - 1].standing.extra;
      if (!level) ++distinct;
      entries[i].rank = i + 1;
      if (board_.ties == leaderboards::Ties::dense) entries[i].rank = distinct;
      if (board_.ties == leaderboards::Ties::shared && level) entries[i].rank = entries[i - 1].rank;
    }
  }

  static leaderboards::Standing extreme(const Results& results, bool highest) {
    const auto value = [](const auto& r) { return std::pair(r.points, r.extra); };
    auto chosen = value(results.front());
    for (const auto& r : results) chosen = highest ? std::max(chosen, value(r)) : std::min(chosen, value(r));
    Timestamp earliest = kMaxTimestamp;
    for (const auto& r : results) {
      if (value(r) == chosen) earliest = std::min(earliest, r.achieved_at);
    }
    return {chosen.first, earliest, chosen.second};
  }

  leaderboards::Standing last(const Results& results) const {
    Timestamp latest = kMinTimestamp;
    for (const auto& r : results) latest = std::max(latest, r.achieved_at);
    Results then;
    std::copy_if(results.begin(), results.end(), std::back_inserter(then),
                 [&](const auto& r) { return r.achieved_at == latest; });
    return extreme(then, board_.order == leaderboards::Order::descending);
  }

  static leaderboards::Standing total(const Results& results) {
    __extension__ __int128 sum = 0;
    std::optional<Timestamp> moved;
    Timestamp earliest = kMaxTimestamp;
    for (const auto& r : results) {
      sum += r.points;
      earliest = std::min(earliest, r.achieved_at);
      if (r.points != 0) moved = std::max(moved.value_or(r.achieved_at), r.achieved_at);
    }
    return {static_cast<std::int64_t>(sum), moved.value_or(earliest)};
  }

  bool is_above(const leaderboards::Entry& a, const leaderboards::Entry& b) const {
    const bool descending = board_.order == leaderboards::Order::descending;
    if (a.standing.points != b.standing.points) return (a.standing.points > b.standing.points) == descending;
    if (a.standing.extra != b.standing.extra) return (a.standing.extra > b.standing.extra) == descending;
    const bool first = board_.ties != leaderboards::Ties::last;
    if (a.standing.achieved_at != b.standing.achieved_at) {
      return (a.standing.achieved_at < b.standing.achieved_at) == first;
    }
    return (a.player.text() > b.player.text()) == descending;
  }

  leaderboards::Board board_;
  std::map<std::string, Results> results_;
};

}  // namespace scoreline::test
