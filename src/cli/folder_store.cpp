#include "cli/folder_store.h"

#include <fmt/format.h>

#include <cmath>

#include "base/decimal.h"
#include "ingest/on_writer.h"
#include "leaderboards/criteria.h"

namespace scoreline::cli {
namespace {

using leaderboards::BoardRef;
using leaderboards::Entry;
using leaderboards::PlayerId;
using leaderboards::SeasonId;

/// The board a choice means, and what is needed to show its points.
struct Chosen {
  BoardRef ref;
  SeasonId season;
  std::shared_ptr<const leaderboards::LeaderboardRecord> record;

  const leaderboards::Definition& definition() const { return record->definition; }
};

Result<Chosen> choose(leaderboards::Service& service, const BoardChoice& choice) {
  const auto record = service.catalogue().find(choice.leaderboard);
  if (!record) return fail(record.error());
  BoardRef ref{choice.leaderboard, std::nullopt, choice.as_of, choice.period};
  if (choice.season) {
    const auto season = SeasonId::from(*choice.season);
    if (!season) return fail(season.error());
    ref.season = *season;
  }
  const auto board = service.resolve(ref);
  if (!board) return fail(board.error());
  // From here on these, should others become the current ones.
  ref.season = board->id.season;
  ref.period = to_string(board->id.period);
  return Chosen{ref, board->id.season, *record};
}

ShownSum shown(const leaderboards::BoardSum& sum) { return {sum.players, fmt::format("{:016x}", sum.checksum)}; }

std::vector<ingest::ShownCriterion> shown_criteria(const leaderboards::Definition& definition, std::uint64_t extra) {
  std::vector<ingest::ShownCriterion> shown;
  const leaderboards::CriteriaValues values = unpack_criteria(definition, extra);
  for (std::size_t i = 0; i < definition.criteria.size(); ++i) {
    const leaderboards::Criterion& criterion = definition.criteria[i];
    shown.push_back({criterion.name, format_scaled(values[i], criterion.scale)});
  }
  return shown;
}

std::string shown(const std::optional<leaderboards::Standing>& standing, const leaderboards::Definition& definition) {
  if (!standing) return {};
  std::string text = format_scaled(standing->points, definition.scale);
  for (const auto& [name, value] : shown_criteria(definition, standing->extra)) text += ", " + name + " " + value;
  return text + " at " + format_timestamp(standing->achieved_at);
}

leaderboards::BoardMaker::Progress heard_by(const Store::OnProgress& progress) {
  return [&progress](leaderboards::ScanProgress at) { progress(at.rows_done, at.rows_total); };
}

ShownEntry shown(const Entry& entry, const leaderboards::Definition& definition) {
  return {entry.rank, entry.player.text(), format_scaled(entry.standing.points, definition.scale),
          format_timestamp(entry.standing.achieved_at), shown_criteria(definition, entry.standing.extra)};
}

ShownBoard shown(const leaderboards::Page& page, const Chosen& chosen) {
  ShownBoard board{chosen.season.value, page.players, {}, {}};
  board.entries.reserve(page.entries.size());
  for (const auto& entry : page.entries) board.entries.push_back(shown(entry, chosen.definition()));
  return board;
}

ShownBoard shown(const leaderboards::Place& place, const Chosen& chosen) {
  ShownBoard board = shown(leaderboards::Page{place.players, {place.entry}}, chosen);
  board.percentile = format_scaled(std::llround(leaderboards::percentile(place) * 100), 2);
  return board;
}

}  // namespace

Result<BatchOutcome> FolderStore::submit(const std::vector<ingest::Submission>& batch) {
  // Asked here so that a leaderboard that does not exist is one error, as it is over HTTP.
  if (auto record = service_.catalogue().find(batch.front().leaderboard); !record) {
    return fail(std::move(record.error()));
  }
  auto receipts = pipeline_.submit(batch, leaderboards::Ranks::skip);
  if (!receipts) return fail(std::move(receipts.error()));
  BatchOutcome outcome;
  for (std::size_t i = 0; i < receipts->size(); ++i) {
    auto& receipt = (*receipts)[i];
    if (!receipt) {
      outcome.rejected.emplace_back(i, std::move(receipt.error()));
      continue;
    }
    switch (receipt->outcome) {
      case leaderboards::Outcome::improved: ++outcome.improved; break;
      case leaderboards::Outcome::unchanged: ++outcome.unchanged; break;
      case leaderboards::Outcome::duplicate: ++outcome.duplicate; break;
    }
  }
  return outcome;
}

Result<ShownBoard> FolderStore::range(const BoardChoice& board, std::uint64_t first, std::size_t limit) {
  const auto chosen = choose(service_, board);
  if (!chosen) return fail(chosen.error());
  const auto page = service_.range(chosen->ref, first, limit);
  if (!page) return fail(page.error());
  return shown(*page, *chosen);
}

Result<ShownBoard> FolderStore::around(const BoardChoice& board, const std::string& player, std::size_t radius) {
  const auto id = PlayerId::parse(player);
  if (!id) return fail(id.error());
  const auto chosen = choose(service_, board);
  if (!chosen) return fail(chosen.error());
  const auto page = service_.around(chosen->ref, *id, radius);
  if (!page) return fail(page.error());
  return shown(*page, *chosen);
}

Result<ShownBoard> FolderStore::place(const BoardChoice& board, const std::string& player) {
  const auto id = PlayerId::parse(player);
  if (!id) return fail(id.error());
  const auto chosen = choose(service_, board);
  if (!chosen) return fail(chosen.error());
  const auto place = service_.place_of(chosen->ref, *id);
  if (place) return shown(*place, *chosen);
  if (place.error().code == Code::not_found && place.error().field == "playerId") {
    return shown(leaderboards::Page{}, *chosen);
  }
  return fail(place.error());
}

Result<ShownAudit> FolderStore::audit_rank(const BoardChoice& board, const std::string& player) {
  const auto id = PlayerId::parse(player);
  if (!id) return fail(id.error());
  const auto chosen = choose(service_, board);
  if (!chosen) return fail(chosen.error());
  const auto audit = service_.audit_rank(chosen->ref, *id);
  if (!audit) return fail(audit.error());
  const auto shown_place = [&](const std::optional<leaderboards::Place>& place) {
    return place ? shown(*place, *chosen) : shown(leaderboards::Page{}, *chosen);
  };
  return ShownAudit{shown_place(audit->shown), shown_place(audit->recounted), audit->agrees()};
}

Result<std::string> FolderStore::moderate(const PlayerCommand& command) {
  const auto player = PlayerId::parse(command.player);
  if (!player) return fail(player.error());
  const auto leaderboard = leaderboards::LeaderboardName::parse(command.leaderboard);
  if (!leaderboard) return fail(leaderboard.error());
  const leaderboards::AskedBy by{.reason = command.reason};
  return ingest::on_writer(pipeline_, [&]() -> Result<std::string> {
    if (command.deed == PlayerCommand::Deed::erase) {
      using Erase = leaderboards::Ledger::Erase;
      const auto mode = command.from_ledger ? Erase::from_ledger : Erase::from_boards;
      return service_.erase_player(*leaderboard, *player, mode, by).map(told_erased);
    }
    const bool hide = command.deed == PlayerCommand::Deed::hide;
    const auto changed =
        hide ? service_.hide_player(*leaderboard, *player, by) : service_.restore_player(*leaderboard, *player, by);
    return changed.map([hide](bool is_new) { return told_hidden(hide, is_new); });
  });
}

Result<std::vector<ShownAuditEntry>> FolderStore::audit_log(std::int64_t after, std::size_t limit) {
  const auto entries = service_.audit_log(after, limit);
  if (!entries) return fail(entries.error());
  std::vector<ShownAuditEntry> shown;
  for (const auto& [id, entry] : *entries) {
    std::string about = entry.leaderboard.text();
    if (entry.season) about += fmt::format(" season {}", entry.season->value);
    if (entry.player) about += " player " + entry.player->text();
    if (entry.match) about += " match " + format_uuid(*entry.match);
    shown.push_back({id, format_timestamp(entry.note.at), std::string(to_string(entry.action)), std::move(about),
                     entry.note.by, entry.note.detail});
  }
  return shown;
}

Result<std::int64_t> FolderStore::rebuild(const BoardChoice& board, const OnProgress& progress) {
  const auto chosen = choose(service_, board);
  if (!chosen) return fail(chosen.error());
  return service_.resolve(chosen->ref)
      .and_then([&](const leaderboards::Board& of) { return service_.maker().make(of, heard_by(progress)); })
      .map([&] { return std::int64_t{chosen->season.value}; });
}

Result<ShownDrift> FolderStore::reconcile(const BoardChoice& board, bool repair, const OnProgress& progress) {
  const auto chosen = choose(service_, board);
  if (!chosen) return fail(chosen.error());
  const auto of = service_.resolve(chosen->ref);
  if (!of) return fail(of.error());
  const auto drift = service_.maker().compare(*of, heard_by(progress));
  if (!drift) return fail(drift.error());
  ShownDrift told{chosen->season.value, shown(drift->ledger), shown(drift->index), drift->players, {}, false};
  for (const auto& each : drift->differing) {
    told.differing.push_back(
        {each.player.text(), shown(each.ledger, chosen->definition()), shown(each.index, chosen->definition())});
  }
  if (repair && drift->players > 0) {
    if (const auto made = service_.maker().make(*of, heard_by(progress)); !made) return fail(made.error());
    told.repaired = true;
  }
  return told;
}

}  // namespace scoreline::cli
