// A ledger in memory: plain enough to be the model that real ones are compared with, and a fake that fails on command.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "leaderboards/ledger.h"
#include "support/model_archives.h"

namespace scoreline::test {

/// Thread-safe.
class ModelLedger final : public leaderboards::Ledger {
 public:
  /// What happens to one append.
  struct Fault {
    Code code = Code::storage_failed;
    bool stored_first = false;  ///< the batch is kept, and only the answer is lost
  };
  /// Asked once an append, with its number from 1; may block. nullopt: it goes well.
  using Script = std::function<std::optional<Fault>(std::size_t)>;

  void set_script(Script script) {
    const std::lock_guard lock(mutex_);
    script_ = std::move(script);
  }
  /// A batch with a result of this player is refused, as a server refuses a value that it cannot store.
  void refuse(std::string player) {
    const std::lock_guard lock(mutex_);
    refused_ = std::move(player);
  }

  Result<std::vector<leaderboards::Recorded>> append(std::span<const leaderboards::MatchResult> batch) override {
    std::optional<Fault> fault;
    if (const auto [script, number] = next_append(batch.size()); script) fault = script(number);
    const std::lock_guard lock(mutex_);
    if (fault && !fault->stored_first) return fail(fault->code, "as the script says");
    for (const auto& result : batch) {
      if (result.player.text() == refused_) return fail(Code::invalid, "the server does not take it", "matchId");
    }
    std::vector<leaderboards::Recorded> recorded;
    for (const auto& result : batch) recorded.push_back(record(result));
    if (fault) return fail(fault->code, "as the script says");
    return recorded;
  }

  Result<void> scan(const std::function<void(const leaderboards::LedgerRow&)>& visit,
                    const std::function<void(leaderboards::ScanProgress)>& progress) override {
    const std::lock_guard lock(mutex_);
    if (scan_failure_) return fail(*scan_failure_);
    std::uint64_t done = 0;
    for (const Row& row : rows_) {
      if (progress) progress({done++, rows_.size()});
      const auto& r = row.result;
      if (counts(row))
        visit({r.leaderboard.text(), r.season, r.player.text(), r.match_id, r.points, r.achieved_at, r.extra});
    }
    if (progress) progress({done, rows_.size()});
    return {};
  }

  Result<void> results_of(const leaderboards::BoardId& board, std::span<const leaderboards::PlayerId> players,
                          const ResultVisitor& visit) override {
    const std::lock_guard lock(mutex_);
    for (const Row& row : rows_) {
      const auto& r = row.result;
      if (!counts(row) || r.leaderboard != board.leaderboard || r.season != board.season) continue;
      if (std::find(players.begin(), players.end(), r.player) == players.end()) continue;
      visit(r.player.text(), result_of(r));
    }
    return {};
  }

  Result<void> visit_kept(std::span<const leaderboards::MatchResult> like,
                          const std::function<void(const leaderboards::LedgerRow&)>& visit) override {
    const std::lock_guard lock(mutex_);
    for (const auto& asked : like) {
      const auto at = places_.find(key_of(asked));
      if (at == places_.end() || !counts(rows_[at->second])) continue;
      const auto& r = rows_[at->second].result;
      visit({r.leaderboard.text(), r.season, r.player.text(), r.match_id, r.points, r.achieved_at, r.extra});
    }
    return {};
  }

  Result<bool> contains(const leaderboards::LeaderboardName& leaderboard, const Uuid& match_id,
                        const leaderboards::PlayerId& player) override {
    const std::lock_guard lock(mutex_);
    return places_.contains({leaderboard, match_id, player}) || voided_.contains({leaderboard, match_id});
  }

  Result<std::uint64_t> erase_player(const leaderboards::LeaderboardName& leaderboard,
                                     const leaderboards::PlayerId& player, Erase mode,
                                     const leaderboards::AuditNote& note) override {
    const std::lock_guard lock(mutex_);
    std::uint64_t stopped = 0;
    const auto is_theirs = [&](const Row& row) {
      return row.result.leaderboard == leaderboard && row.result.player == player;
    };
    for (Row& row : rows_) {
      if (!is_theirs(row)) continue;
      stopped += row.counts ? 1 : 0;
      row.counts = false;
    }
    const std::size_t erased = mode == Erase::from_ledger ? erase_rows(is_theirs) : 0;
    if (stopped + erased > 0) log({leaderboards::AuditAction::erase_player, leaderboard, {}, player, {}, note});
    return stopped;
  }

  Result<void> results_of_players(const leaderboards::LeaderboardName& leaderboard,
                                  std::span<const leaderboards::PlayerId> players,
                                  const std::function<void(const leaderboards::LedgerRow&)>& visit) override {
    const std::lock_guard lock(mutex_);
    for (const Row& row : rows_) {
      const auto& r = row.result;
      if (!counts(row) || r.leaderboard != leaderboard) continue;
      if (std::find(players.begin(), players.end(), r.player) == players.end()) continue;
      visit({r.leaderboard.text(), r.season, r.player.text(), r.match_id, r.points, r.achieved_at, r.extra});
    }
    return {};
  }

  Result<bool> hide_player(const leaderboards::LeaderboardName& leaderboard, const leaderboards::PlayerId& player,
                           const leaderboards::AuditNote& note) override {
    const std::lock_guard lock(mutex_);
    const auto at = records_.find(leaderboard);
    if (at == records_.end()) return fail(Code::not_found, "there is no such leaderboard", "leaderboard");
    if (is_hidden(leaderboard, player)) return false;
    at->second.hidden.push_back({player, note.at, note.detail});
    log({leaderboards::AuditAction::hide_player, leaderboard, {}, player, {}, note});
    return true;
  }

  Result<bool> restore_player(const leaderboards::LeaderboardName& leaderboard, const leaderboards::PlayerId& player,
                              const leaderboards::AuditNote& note) override {
    const std::lock_guard lock(mutex_);
    if (!is_hidden(leaderboard, player)) return false;
    std::erase_if(records_.at(leaderboard).hidden, [&](const auto& hidden) { return hidden.player == player; });
    log({leaderboards::AuditAction::restore_player, leaderboard, {}, player, {}, note});
    return true;
  }

  Result<std::vector<leaderboards::PlayerId>> void_match(const leaderboards::LeaderboardName& leaderboard,
                                                         const Uuid& match_id,
                                                         const leaderboards::AuditNote& note) override {
    const std::lock_guard lock(mutex_);
    std::vector<leaderboards::PlayerId> players;
    if (voided_.contains({leaderboard, match_id})) return players;
    bool any = false;
    for (Row& row : rows_) {
      if (row.result.leaderboard != leaderboard || row.result.match_id != match_id) continue;
      any = true;
      if (std::exchange(row.counts, false)) players.push_back(row.result.player);
    }
    if (!any) return fail(Code::not_found, "no result of this match is kept", "matchId");
    voided_.emplace(leaderboard, match_id);
    log({leaderboards::AuditAction::void_match, leaderboard, {}, {}, match_id, note});
    return players;
  }

  Result<std::vector<leaderboards::PlayerId>> players_of_match(const leaderboards::LeaderboardName& leaderboard,
                                                               const Uuid& match_id) override {
    const std::lock_guard lock(mutex_);
    std::vector<leaderboards::PlayerId> players;
    for (const Row& row : rows_) {
      if (row.result.leaderboard == leaderboard && row.result.match_id == match_id)
        players.push_back(row.result.player);
    }
    return players;
  }

  Result<void> add_to_audit(const leaderboards::AuditEntry& entry) override {
    const std::lock_guard lock(mutex_);
    log(entry);
    return {};
  }

  Result<leaderboards::AuditId> last_audit_id() override {
    const std::lock_guard lock(mutex_);
    return static_cast<leaderboards::AuditId>(audit_.size());
  }

  Result<std::vector<leaderboards::StoredAuditEntry>> audit_log(leaderboards::AuditId after,
                                                                std::size_t limit) override {
    const std::lock_guard lock(mutex_);
    std::vector<leaderboards::StoredAuditEntry> page;
    for (std::size_t i = static_cast<std::size_t>(after); i < audit_.size() && page.size() < limit; ++i) {
      page.push_back({static_cast<leaderboards::AuditId>(i + 1), audit_[i]});
    }
    return page;
  }

  Result<std::uint64_t> definitions_version() override { return 0; }
  Result<std::vector<leaderboards::LeaderboardRecord>> leaderboards() override {
    const std::lock_guard lock(mutex_);
    std::vector<leaderboards::LeaderboardRecord> all;
    for (const auto& [name, record] : records_) {
      all.push_back(record);
      for (leaderboards::Season& season : all.back().seasons) archives_.tell(name, season);
    }
    return all;
  }

  Result<void> put_definition(const leaderboards::Definition& definition) override {
    const std::lock_guard lock(mutex_);
    const auto at = records_.find(definition.name);
    if (at == records_.end()) {
      records_.emplace(definition.name, leaderboards::LeaderboardRecord{definition, {}});
    } else {
      at->second.definition = definition;
    }
    return {};
  }

  Result<void> put_season(const leaderboards::LeaderboardName& leaderboard,
                          const leaderboards::Season& season) override {
    const std::lock_guard lock(mutex_);
    const auto at = records_.find(leaderboard);
    if (at == records_.end()) return fail(Code::not_found, "there is no such leaderboard", "leaderboard");
    auto& seasons = at->second.seasons;
    std::erase_if(seasons, [&](const leaderboards::Season& known) { return known.id == season.id; });
    seasons.push_back(season);
    return {};
  }

  Result<void> drop_leaderboard(const leaderboards::LeaderboardName& leaderboard) override {
    const std::lock_guard lock(mutex_);
    const auto rows = erase_rows([&](const Row& row) { return row.result.leaderboard == leaderboard; });
    archives_.forget(leaderboard);
    std::erase_if(voided_, [&](const auto& match) { return match.first == leaderboard; });
    if (records_.erase(leaderboard) + rows == 0) {
      return fail(Code::not_found, "there is no such leaderboard", "leaderboard");
    }
    return {};
  }

  Result<bool> has_results(const leaderboards::LeaderboardName& leaderboard) override {
    const std::lock_guard lock(mutex_);
    return std::any_of(rows_.begin(), rows_.end(),
                       [&](const Row& row) { return row.counts && row.result.leaderboard == leaderboard; });
  }

  leaderboards::Archives& archives() override { return archives_; }
  /// It never gives up: a scripted fault is that of one append.
  std::optional<Error> write_failure() const override { return std::nullopt; }

  /// What was kept, in order.
  std::vector<leaderboards::MatchResult> results() const {
    const std::lock_guard lock(mutex_);
    std::vector<leaderboards::MatchResult> results;
    for (const Row& row : rows_) results.push_back(row.result);
    return results;
  }

  /// Sizes of all appends so far.
  std::vector<std::size_t> appends() const {
    const std::lock_guard lock(mutex_);
    return appends_;
  }

  void fail_scans(std::optional<Error> error) {
    const std::lock_guard lock(mutex_);
    scan_failure_ = std::move(error);
  }

 private:
  using Key = std::tuple<leaderboards::LeaderboardName, Uuid, leaderboards::PlayerId>;
  struct Row {
    leaderboards::MatchResult result;
    bool counts = true;
  };

  static Key key_of(const leaderboards::MatchResult& result) {
    return {result.leaderboard, result.match_id, result.player};
  }

  std::pair<Script, std::size_t> next_append(std::size_t results) {
    const std::lock_guard lock(mutex_);
    appends_.push_back(results);
    return {script_, appends_.size()};
  }

  leaderboards::Recorded record(const leaderboards::MatchResult& result) {
    if (voided_.contains({result.leaderboard, result.match_id})) return leaderboards::Recorded::duplicate;
    if (archives_.is_closed(result.leaderboard, result.season) && !places_.contains(key_of(result))) {
      return leaderboards::Recorded::season_closed;
    }
    if (!places_.emplace(key_of(result), rows_.size()).second) return leaderboards::Recorded::duplicate;
    rows_.push_back({result, true});
    return leaderboards::Recorded::recorded;
  }

  bool end_season(const leaderboards::LeaderboardName& leaderboard, const leaderboards::Season& season) {
    const std::lock_guard lock(mutex_);
    const auto record = records_.find(leaderboard);
    if (record == records_.end()) return false;
    for (leaderboards::Season& known : record->second.seasons) {
      if (known.id != season.id) continue;
      known.end = season.end;
      return true;
    }
    return false;
  }
  bool is_hidden(const leaderboards::LeaderboardName& leaderboard, const leaderboards::PlayerId& player) const {
    const auto at = records_.find(leaderboard);
    return at != records_.end() && std::any_of(at->second.hidden.begin(), at->second.hidden.end(),
                                               [&](const auto& hidden) { return hidden.player == player; });
  }
  bool counts(const Row& row) const { return row.counts && !is_hidden(row.result.leaderboard, row.result.player); }
  void log(const leaderboards::AuditEntry& entry) { audit_.push_back(entry); }

  template <typename Which>
  std::size_t erase_rows(const Which& which) {
    const std::size_t erased = std::erase_if(rows_, which);
    places_.clear();
    for (std::size_t i = 0; i < rows_.size(); ++i) places_.emplace(key_of(rows_[i].result), i);
    return erased;
  }

  // Its lock is taken before mutex_ when a season ends, and after it elsewhere: no test does both at once.
  ModelArchives archives_{
      [this](const auto& leaderboard, const auto& season) { return end_season(leaderboard, season); }};
  mutable std::mutex mutex_;
  Script script_;
  std::optional<std::string> refused_;
  std::vector<Row> rows_;
  std::map<Key, std::size_t> places_;  // in rows_
  std::map<leaderboards::LeaderboardName, leaderboards::LeaderboardRecord> records_;
  std::set<std::pair<leaderboards::LeaderboardName, Uuid>> voided_;
  std::vector<leaderboards::AuditEntry> audit_;
  std::vector<std::size_t> appends_;
  std::optional<Error> scan_failure_;
};

}  // namespace scoreline::test
