// What stops counting, and counts again: players erased, hidden and restored, matches voided. And the log of it.
#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "leaderboards/recount.h"
#include "leaderboards/service.h"

namespace scoreline::leaderboards {
namespace {

/// Who is hidden in `now` and was not in `before`.
std::vector<PlayerId> newly_hidden(const LeaderboardRecord* before, const LeaderboardRecord& now) {
  std::vector<PlayerId> players;
  for (const HiddenPlayer& hidden : now.hidden) {
    if (before == nullptr || !is_hidden(*before, hidden.player.text())) players.push_back(hidden.player);
  }
  return players;
}

}  // namespace

Result<std::uint64_t> Service::erase_player(const LeaderboardName& leaderboard, const PlayerId& player,
                                            Ledger::Erase mode, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  auto erased = ledger_.erase_player(leaderboard, player, mode, note(by));
  if (!erased) return erased;
  past_.forget();
  const auto anonymised = ledger_.archives().anonymise(leaderboard, player);
  if (!anonymised) return fail(anonymised.error());
  if (*anonymised > 0) {
    if (const auto read = catalogue_.refresh(); !read) return fail(read.error());
  }
  if (const auto gone = take_off(index_, **record, {&player, 1}, clock_.now()); !gone) return fail(gone.error());
  return erased;
}

Result<bool> Service::hide_player(const LeaderboardName& leaderboard, const PlayerId& player, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto hidden = catalogue_.hide_player(leaderboard, player, note(by));
  if (!hidden) return hidden;
  past_.forget();
  // Again when there was nothing to hide: an earlier call may have come no further than to the ledger.
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  if (const auto gone = take_off(index_, **record, {&player, 1}, clock_.now()); !gone) return fail(gone.error());
  return hidden;
}

Result<bool> Service::restore_player(const LeaderboardName& leaderboard, const PlayerId& player, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto restored = catalogue_.restore_player(leaderboard, player, note(by));
  if (!restored) return restored;
  past_.forget();
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  if (const auto shown = recount(ledger_, index_, **record, {&player, 1}, clock_.now()); !shown)
    return fail(shown.error());
  return restored;
}

Result<std::uint64_t> Service::void_match(const LeaderboardName& leaderboard, const Uuid& match_id, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  const auto players = ledger_.void_match(leaderboard, match_id, note(by));
  if (!players) return fail(players.error());
  past_.forget();
  if (const auto shown = recount(ledger_, index_, **record, *players, clock_.now()); !shown) return fail(shown.error());
  return players->size();
}

Result<void> Service::add_to_audit(AuditEntry entry, const AskedBy& by) {
  const std::string detail = std::exchange(entry.note.detail, {});
  entry.note = note(by);
  if (entry.note.detail.empty()) entry.note.detail = detail;
  return ledger_.add_to_audit(entry);
}

Result<std::vector<StoredAuditEntry>> Service::audit_log(AuditId after, std::size_t limit) const {
  return ledger_.audit_log(after, limit);
}

Result<void> Service::follow_changes() {
  std::map<std::string, std::shared_ptr<const LeaderboardRecord>> before;
  for (const Definition& definition : catalogue_.definitions()) {
    if (auto record = catalogue_.find(definition.name.text())) before.emplace(definition.name.text(), *record);
  }
  if (const auto read = catalogue_.refresh(); !read) return read;
  past_.forget();
  for (const Definition& definition : catalogue_.definitions()) {
    const auto now = catalogue_.find(definition.name.text());
    if (!now) continue;
    const auto known = before.find(definition.name.text());
    const LeaderboardRecord* const was = known == before.end() ? nullptr : known->second.get();
    if (auto gone = take_off(index_, **now, newly_hidden(was, **now), clock_.now()); !gone) return gone;
    // What we recorded while we took the player for hidden may be what whoever restored the player did not see.
    if (was == nullptr) continue;
    if (auto shown = recount(ledger_, index_, **now, newly_hidden(now->get(), *was), clock_.now()); !shown)
      return shown;
  }
  return {};
}

Result<void> Service::take_off_hidden() {
  for (const Definition& definition : catalogue_.definitions()) {
    const auto record = catalogue_.find(definition.name.text());
    if (!record) continue;
    if (auto gone = take_off(index_, **record, newly_hidden(nullptr, **record), clock_.now()); !gone) return gone;
  }
  return {};
}

}  // namespace scoreline::leaderboards
