// What stops counting, and counts again: players erased, hidden and restored, matches voided. And the log of it.
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "leaderboards/moderated.h"
#include "leaderboards/recount.h"
#include "leaderboards/service.h"

namespace scoreline::leaderboards {
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
  if (const auto gone = on_boards(take_off(index_, **record, {&player, 1}, clock_.now())); !gone) {
    return fail(gone.error());
  }
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
  if (const auto gone = on_boards(take_off(index_, **record, {&player, 1}, clock_.now())); !gone) {
    return fail(gone.error());
  }
  return hidden;
}

Result<bool> Service::restore_player(const LeaderboardName& leaderboard, const PlayerId& player, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto restored = catalogue_.restore_player(leaderboard, player, note(by));
  if (!restored) return restored;
  past_.forget();
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  if (const auto shown = on_boards(recount(ledger_, index_, **record, {&player, 1}, clock_.now())); !shown) {
    return fail(shown.error());
  }
  return restored;
}

Result<std::uint64_t> Service::void_match(const LeaderboardName& leaderboard, const Uuid& match_id, const AskedBy& by) {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  const auto players = ledger_.void_match(leaderboard, match_id, note(by));
  if (!players) return fail(players.error());
  past_.forget();
  if (const auto shown = on_boards(recount(ledger_, index_, **record, *players, clock_.now())); !shown) {
    return fail(shown.error());
  }
  return players->size();
}

Result<Preview> Service::preview_without(const LeaderboardName& leaderboard, const PlayerId& player) const {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  return leaderboards::preview_without(ledger_, index_, **record, player, clock_.now());
}

Result<Preview> Service::preview_without(const LeaderboardName& leaderboard, const Uuid& match_id) const {
  if (const auto is_ready = check_ready(); !is_ready) return fail(is_ready.error());
  const auto record = catalogue_.find(leaderboard.text());
  if (!record) return fail(record.error());
  return leaderboards::preview_without(ledger_, index_, **record, match_id, clock_.now());
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

Result<void> Service::on_boards(Result<void> shown) {
  if (!shown) behind_ = true;
  return shown;
}

Result<void> Service::follow_changes() {
  if (const auto read = catalogue_.refresh(); !read) return read;
  past_.forget();
  const AuditId until = catalogue_.audit_position();
  if (until < followed_) followed_ = 0;  // it was put back to an earlier state
  Moderated moderated;
  for (AuditId after = followed_; after < until;) {
    const auto page = ledger_.audit_log(after, kMaxEntries);
    if (!page) return fail(page.error());
    // What came after `until` the catalogue may not know of: the next time.
    for (const StoredAuditEntry& line : *page) {
      if (line.id <= until) moderated.add(line.entry);
    }
    after = page->empty() ? until : page->back().id;
  }
  behind_ = true;
  if (auto shown = moderated.show(catalogue_, ledger_, index_, clock_.now()); !shown) return shown;
  followed_ = until;
  behind_ = false;
  return {};
}

Result<void> Service::follow_for_others(std::span<const AuditEntry> changes) {
  if (auto followed = follow_changes(); !followed) return followed;
  Moderated moderated;
  for (const AuditEntry& change : changes) moderated.add(change);
  if (auto shown = moderated.show(catalogue_, ledger_, index_, clock_.now()); !shown) return shown;
  if (auto anonymised = moderated.anonymise(ledger_.archives()); !anonymised) return anonymised;
  // Somebody hidden long before may have been put back by a process that had not heard of it.
  for (const Definition& definition : catalogue_.definitions()) {
    const auto record = catalogue_.find(definition.name.text());
    if (!record) continue;
    std::vector<PlayerId> hidden;
    for (const HiddenPlayer& each : (*record)->hidden) hidden.push_back(each.player);
    if (auto gone = take_off(index_, **record, hidden, clock_.now()); !gone) return gone;
  }
  return {};
}

}  // namespace scoreline::leaderboards
