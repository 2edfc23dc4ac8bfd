// Archives in memory, of a ModelLedger.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "leaderboards/archives.h"

namespace scoreline::test {

/// Thread-safe.
class ModelArchives final : public leaderboards::Archives {
 public:
  using Key = std::pair<leaderboards::LeaderboardName, leaderboards::SeasonId>;
  /// Gives a season its end; false when there is none.
  using EndSeason = std::function<bool(const leaderboards::LeaderboardName&, const leaderboards::Season&)>;

  explicit ModelArchives(EndSeason end_season) : end_season_(std::move(end_season)) {}

  Result<void> mark_closing(const leaderboards::LeaderboardName& leaderboard,
                            const leaderboards::Season& season) override {
    const std::lock_guard lock(mutex_);
    if (archives_.contains({leaderboard, season.id})) return {};
    if (!end_season_(leaderboard, season)) return fail(Code::not_found, "nobody has opened this season", "season");
    archives_[{leaderboard, season.id}];
    return {};
  }

  Result<std::unique_ptr<leaderboards::ArchiveWriter>> begin(const leaderboards::LeaderboardName& leaderboard,
                                                             leaderboards::SeasonId season) override {
    const std::lock_guard lock(mutex_);
    const auto at = archives_.find({leaderboard, season});
    if (at == archives_.end() || at->second.closed) return fail(Code::conflict, "the season is not closing", "season");
    return std::make_unique<Writer>(*this, Key{leaderboard, season}, at->second.generation);
  }
  bool on_writer() const override { return true; }

  Result<std::vector<leaderboards::ArchivedEntry>> read(const leaderboards::LeaderboardName& leaderboard,
                                                        leaderboards::SeasonId season, std::uint64_t position,
                                                        std::size_t limit) const override {
    const std::lock_guard lock(mutex_);
    std::vector<leaderboards::ArchivedEntry> lines;
    const auto at = archives_.find({leaderboard, season});
    if (at == archives_.end() || !at->second.closed) return lines;
    for (const auto& line : at->second.lines) {
      if (line.position >= position && lines.size() < limit) lines.push_back(line);
    }
    return lines;
  }

  Result<std::vector<std::optional<leaderboards::ArchivedEntry>>> find(
      const leaderboards::LeaderboardName& leaderboard, leaderboards::SeasonId season,
      std::span<const leaderboards::PlayerId> players) const override {
    const std::lock_guard lock(mutex_);
    std::vector<std::optional<leaderboards::ArchivedEntry>> found(players.size());
    const auto at = archives_.find({leaderboard, season});
    if (at == archives_.end() || !at->second.closed) return found;
    for (std::size_t i = 0; i < players.size(); ++i) {
      for (const auto& line : at->second.lines) {
        if (line.entry.player == players[i]) found[i] = line;
      }
    }
    return found;
  }

  Result<std::uint64_t> anonymise(const leaderboards::LeaderboardName& leaderboard,
                                  const leaderboards::PlayerId& player) override {
    const std::lock_guard lock(mutex_);
    std::uint64_t lost = 0;
    for (auto& [key, archive] : archives_) {
      if (key.first != leaderboard) continue;
      if (!archive.closed) ++archive.generation;
      for (auto& line : archive.lines) {
        if (!archive.closed || line.entry.player != player) continue;
        line.entry.player = leaderboards::PlayerId::trusted("");
        ++archive.anonymous;
        ++lost;
      }
    }
    return lost;
  }

  bool is_closed(const leaderboards::LeaderboardName& leaderboard, leaderboards::SeasonId season) const {
    const std::lock_guard lock(mutex_);
    return archives_.contains({leaderboard, season});
  }
  void forget(const leaderboards::LeaderboardName& leaderboard) {
    const std::lock_guard lock(mutex_);
    std::erase_if(archives_, [&](const auto& each) { return each.first.first == leaderboard; });
  }
  /// Adds what is known of its state.
  void tell(const leaderboards::LeaderboardName& leaderboard, leaderboards::Season& season) const {
    const std::lock_guard lock(mutex_);
    const auto at = archives_.find({leaderboard, season.id});
    if (at == archives_.end()) return;
    season.state = at->second.closed ? leaderboards::SeasonState::closed : leaderboards::SeasonState::closing;
    season.players = at->second.closed ? at->second.lines.size() : 0;
    season.anonymous = at->second.anonymous;
  }

 private:
  struct Archive {
    bool closed = false;
    std::uint64_t generation = 0;
    std::uint64_t anonymous = 0;
    std::vector<leaderboards::ArchivedEntry> lines;
  };

  class Writer final : public leaderboards::ArchiveWriter {
   public:
    Writer(ModelArchives& archives, Key key, std::uint64_t generation)
        : archives_(archives), key_(std::move(key)), generation_(generation) {}
    Result<bool> clear() override {
      const std::lock_guard lock(archives_.mutex_);
      auto& lines = archives_.archives_[key_].lines;
      const bool clean = lines.empty();
      lines.clear();
      return clean;
    }
    Result<void> add(std::span<const leaderboards::ArchivedEntry> entries) override {
      const std::lock_guard lock(archives_.mutex_);
      auto& lines = archives_.archives_[key_].lines;
      lines.insert(lines.end(), entries.begin(), entries.end());
      return {};
    }
    Result<void> add_players(std::span<const leaderboards::ArchivedPlayer>) override { return {}; }
    Result<void> finish(std::uint64_t players) override {
      const std::lock_guard lock(archives_.mutex_);
      Archive& archive = archives_.archives_[key_];
      if (archive.closed || archive.generation != generation_) {
        return fail(Code::conflict, "the season is closed already, or a player was erased meanwhile", "season");
      }
      SCORELINE_CHECK(archive.lines.size() == players);
      archive.closed = true;
      return {};
    }

   private:
    ModelArchives& archives_;
    const Key key_;
    const std::uint64_t generation_;
  };

  const EndSeason end_season_;
  mutable std::mutex mutex_;
  std::map<Key, Archive> archives_;
};

}  // namespace scoreline::test
