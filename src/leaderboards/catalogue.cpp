#include "leaderboards/catalogue.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>

#include "base/limits.h"

namespace scoreline::leaderboards {
namespace {

using Record = std::shared_ptr<const LeaderboardRecord>;

Record make_record(LeaderboardRecord record) {
  std::sort(record.seasons.begin(), record.seasons.end(), [](const Season& a, const Season& b) { return a.id < b.id; });
  std::sort(record.hidden.begin(), record.hidden.end(),
            [](const HiddenPlayer& a, const HiddenPlayer& b) { return a.player < b.player; });
  return std::make_shared<const LeaderboardRecord>(std::move(record));
}

Definition main_definition() {
  Definition definition{.name = LeaderboardName::trusted(std::string(kMainLeaderboard))};
  return definition;
}

tl::unexpected<Error> season_conflict(SeasonId season) {
  return fail(Code::conflict, "season " + std::to_string(season.value) + " is open with another start or end",
              "seasonId");
}

/// In which order seasons are candidates for the current one; the greatest is it.
struct Candidacy {
  int phase;             // 2: running, 1: ended, 0: not begun
  std::int64_t by_time;  // later is better, but among those not begun
  SeasonId id;
  friend auto operator<=>(const Candidacy&, const Candidacy&) = default;
};

Candidacy candidacy(const Season& season, Timestamp now) {
  const std::int64_t start = season.start ? season.start->ms : kMinTimestamp.ms - 1;
  if (season.start && *season.start > now) return {0, -start, season.id};
  return {season.end && *season.end <= now ? 1 : 2, start, season.id};
}

}  // namespace

const Season* find_season(const LeaderboardRecord& record, SeasonId id) {
  const auto at = std::lower_bound(record.seasons.begin(), record.seasons.end(), id,
                                   [](const Season& season, SeasonId wanted) { return season.id < wanted; });
  return at != record.seasons.end() && at->id == id ? &*at : nullptr;
}

bool is_hidden(const LeaderboardRecord& record, std::string_view player) {
  const auto at = std::lower_bound(
      record.hidden.begin(), record.hidden.end(), player,
      [](const HiddenPlayer& hidden, std::string_view wanted) { return hidden.player.text() < wanted; });
  return at != record.hidden.end() && at->player.text() == player;
}

Result<std::unique_ptr<Catalogue>> Catalogue::open(Ledger& ledger) {
  std::unique_ptr<Catalogue> catalogue(new Catalogue(ledger));
  if (const auto read = catalogue->refresh(); !read) return fail(read.error());
  if (!catalogue->records_.contains(kMainLeaderboard)) {
    const auto made = catalogue->put_definition(main_definition());
    if (!made) return fail(made.error());
  }
  return catalogue;
}

Result<void> Catalogue::refresh() {
  const auto version = ledger_.definitions_version();  // before: what changes while we read must not pass for read
  if (!version) return fail(version.error());
  const auto position = ledger_.last_audit_id();
  if (!position) return fail(position.error());
  auto read = ledger_.leaderboards();
  if (!read) return fail(std::move(read).error());
  decltype(records_) records;
  for (LeaderboardRecord& record : *read) {
    std::string name = record.definition.name.text();
    // Another machine may have taken it, whose tzdata knows more.
    if (const auto valid = validate(record.definition); !valid) {
      return fail(Code::conflict, "leaderboard " + name + ": " + valid.error().field + " " + valid.error().detail);
    }
    records.emplace(std::move(name), make_record(std::move(record)));
  }
  const std::lock_guard lock(mutex_);
  records_.swap(records);
  version_ = *version;
  audit_position_ = *position;
  return {};
}

Result<Record> Catalogue::find(std::string_view leaderboard) const {
  const std::shared_lock lock(mutex_);
  const auto at = records_.find(leaderboard);
  if (at == records_.end()) {
    return fail(Code::not_found, "there is no leaderboard of this name", "leaderboard");
  }
  return at->second;
}

std::vector<Definition> Catalogue::definitions() const {
  const std::shared_lock lock(mutex_);
  std::vector<Definition> definitions;
  definitions.reserve(records_.size());
  for (const auto& [name, record] : records_) definitions.push_back(record->definition);
  return definitions;
}

SeasonId current_season(const LeaderboardRecord& record, Timestamp now) {
  SeasonId current{1};
  std::optional<Candidacy> best;
  for (const Season& season : record.seasons) {
    const Candidacy candidate = candidacy(season, now);
    if (best && candidate < *best) continue;
    best = candidate;
    current = season.id;
  }
  return current;
}

SeasonAt season_at(const LeaderboardRecord& record, Timestamp at) {
  Span span;
  for (const Season& season : record.seasons) {
    for (const auto& boundary : {season.start, season.end}) {
      if (!boundary) continue;
      Timestamp& nearest = *boundary <= at ? span.from : span.until;
      nearest = *boundary <= at ? std::max(nearest, *boundary) : std::min(nearest, *boundary);
    }
  }
  return {current_season(record, at), span};
}

Result<SeasonId> Catalogue::current_season(std::string_view leaderboard, Timestamp now) const {
  return find(leaderboard).map([&](const Record& record) { return leaderboards::current_season(*record, now); });
}

Result<Board> Catalogue::board(std::string_view leaderboard, SeasonId season) const {
  return find(leaderboard).map([&](const Record& record) {
    const Season* const opened = find_season(*record, season);
    return board_of(record->definition, opened != nullptr ? *opened : Season{season, std::nullopt, std::nullopt});
  });
}

Result<bool> Catalogue::is_current() const {
  return ledger_.definitions_version().map([this](std::uint64_t version) { return version == version_.load(); });
}

/// Each change raises the version by one: another's in between shows.
void Catalogue::note_own_change() {
  const auto version = ledger_.definitions_version();
  if (version && *version == version_ + 1) version_ = *version;
}

Result<bool> Catalogue::put_definition(const Definition& definition) {
  if (const auto valid = validate(definition); !valid) return fail(valid.error());
  LeaderboardRecord record{definition, {}};
  const auto existing = find(definition.name.text());
  if (existing) {
    if ((*existing)->definition == definition) return false;
    record.seasons = (*existing)->seasons;
    record.hidden = (*existing)->hidden;
    if (const auto allowed = can_change((*existing)->definition, definition); !allowed) {
      const auto used = ledger_.has_results(definition.name);
      if (!used) return fail(used.error());
      if (*used) return fail(allowed.error());
    }
    for (const Season& season : record.seasons) {
      const auto valid = validate(definition, season);
      if (valid) continue;
      return fail(Code::conflict,
                  "season " + std::to_string(season.id.value) + " is open already, and its " + valid.error().field +
                      " " + valid.error().detail,
                  "key");
    }
  } else if (definitions().size() >= kMaxLeaderboards) {
    return fail(Code::conflict, "there are 10000 leaderboards already, the most there can be", "leaderboard");
  }
  if (const auto stored = ledger_.put_definition(definition); !stored) return fail(stored.error());
  replace(std::move(record));
  note_own_change();
  return !existing;
}

Result<void> Catalogue::open_season(const LeaderboardName& leaderboard, const Season& season) {
  const auto existing = find(leaderboard.text());
  if (!existing) return fail(existing.error());
  const LeaderboardRecord& record = **existing;
  if (const Season* const opened = find_season(record, season.id)) {
    if (opened->start != season.start || opened->end != season.end) return season_conflict(season.id);
    if (opened->state == SeasonState::open) return {};
    return fail(Code::conflict, "season " + std::to_string(season.id.value) + " is closed", "seasonId");
  }
  if (const auto valid = validate(record.definition, season); !valid) return fail(valid.error());
  if (record.seasons.size() >= kMaxSeasons) {
    return fail(Code::conflict, "the leaderboard has 10000 seasons already, the most there can be", "seasonId");
  }
  if (const auto stored = ledger_.put_season(leaderboard, season); !stored) return fail(stored.error());
  LeaderboardRecord changed = record;
  changed.seasons.push_back(season);
  replace(std::move(changed));
  note_own_change();
  return {};
}

Result<bool> Catalogue::hide_player(const LeaderboardName& leaderboard, const PlayerId& player, const AuditNote& note) {
  const auto existing = find(leaderboard.text());
  if (!existing) return fail(existing.error());
  if (is_hidden(**existing, player.text())) return false;
  if ((*existing)->hidden.size() >= kMaxHiddenPlayers) {
    return fail(Code::conflict, "the leaderboard has 100000 hidden players already, the most there can be", "playerId");
  }
  const auto hidden = ledger_.hide_player(leaderboard, player, note);
  if (!hidden) return hidden;
  LeaderboardRecord changed = **existing;
  changed.hidden.push_back({player, note.at, note.detail});
  replace(std::move(changed));
  note_own_change();
  return hidden;
}

Result<bool> Catalogue::restore_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                       const AuditNote& note) {
  const auto existing = find(leaderboard.text());
  if (!existing) return fail(existing.error());
  // The ledger knows: another process may have hidden the player just now.
  const auto restored = ledger_.restore_player(leaderboard, player, note);
  if (!restored) return restored;
  LeaderboardRecord changed = **existing;
  std::erase_if(changed.hidden, [&](const HiddenPlayer& hidden) { return hidden.player == player; });
  replace(std::move(changed));
  note_own_change();
  return restored;
}

Result<void> Catalogue::drop(const LeaderboardName& leaderboard) {
  if (const auto existing = find(leaderboard.text()); !existing) return fail(existing.error());
  if (const auto dropped = ledger_.drop_leaderboard(leaderboard); !dropped) return fail(dropped.error());
  {
    const std::lock_guard lock(mutex_);
    records_.erase(leaderboard.text());
  }
  note_own_change();
  if (leaderboard.text() != kMainLeaderboard) return {};
  const auto made = put_definition(main_definition());
  if (!made) return fail(made.error());
  return {};
}

void Catalogue::replace(LeaderboardRecord record) {
  std::string name = record.definition.name.text();
  Record made = make_record(std::move(record));
  const std::lock_guard lock(mutex_);
  records_.insert_or_assign(std::move(name), std::move(made));
}

}  // namespace scoreline::leaderboards
