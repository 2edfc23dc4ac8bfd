#include "leaderboards/ledger_fold.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <string>

#include "base/limits.h"
#include "leaderboards/rank_key_codec.h"
#include "leaderboards/season_boards.h"
#include "ordered/member_hash.h"
#include "ordered/rank_key.h"

namespace scoreline::leaderboards {
namespace {

/// How far ahead a board must lie for it to be sure that no process has a result for it, whose clock may be ahead a
/// little.
constexpr std::chrono::milliseconds kNoResultsYet = kMaxClockSkew + std::chrono::minutes{2};

// The arena counts in units, so that 32 bits reach far and every tally is aligned.
constexpr std::size_t kUnit = alignof(Tally);
constexpr std::size_t kUnitsPerChunk = std::size_t{1} << 17;
static_assert(kUnit == 8 && kMaxPlayerIdBytes <= std::numeric_limits<std::uint8_t>::max());

}  // namespace

std::byte* TallyArena::at(Ref ref) const { return &chunks_[ref / kUnitsPerChunk][(ref % kUnitsPerChunk) * kUnit]; }

TallyArena::Ref TallyArena::add(std::string_view player) {
  SCORELINE_CHECK(player.size() <= kMaxPlayerIdBytes);
  const std::size_t units = (sizeof(Tally) + 1 + player.size() + kUnit - 1) / kUnit;
  if (chunks_.empty() || used_ + units > kUnitsPerChunk) {
    SCORELINE_CHECK(chunks_.size() < (std::size_t{1} << 32) / kUnitsPerChunk);
    chunks_.push_back(std::make_unique_for_overwrite<std::byte[]>(kUnitsPerChunk * kUnit));
    used_ = 0;
  }
  const auto ref = static_cast<Ref>((chunks_.size() - 1) * kUnitsPerChunk + used_);
  used_ += units;
  std::byte* const to = at(ref);
  new (to) Tally;
  to[sizeof(Tally)] = static_cast<std::byte>(player.size());
  std::memcpy(to + sizeof(Tally) + 1, player.data(), player.size());
  return ref;
}

std::string_view TallyArena::player(Ref ref) const {
  const std::byte* const from = at(ref) + sizeof(Tally);
  return {reinterpret_cast<const char*>(from + 1), std::to_integer<std::size_t>(*from)};
}

void TallyArena::prefetch(Ref ref) const { __builtin_prefetch(at(ref)); }

std::uint32_t FoldedBoard::hash_of(std::string_view player) const {
  return static_cast<std::uint32_t>(ordered::member_hash(player, hash_seed_));
}

std::size_t FoldedBoard::slot_of(std::uint32_t hash, std::string_view player) const {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    const Slot& slot = slots_[at];
    if (slot.player == 0 || (slot.hash == hash && arena_->player(players_[slot.player - 1]) == player)) return at;
  }
}

std::optional<std::size_t> FoldedBoard::place_of(std::string_view player) const {
  if (slots_.empty()) return std::nullopt;
  const Slot& slot = slots_[slot_of(hash_of(player), player)];
  return slot.player == 0 ? std::nullopt : std::optional<std::size_t>(slot.player - 1);
}

void FoldedBoard::grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.player == 0) continue;
    std::size_t at = slot.hash & mask;
    while (slots_[at].player != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void FoldedBoard::add(std::string_view player, const Standing& result) {
  if (players_.size() * 4 >= slots_.size() * 3) grow();
  const std::uint32_t hash = hash_of(player);
  Slot& slot = slots_[slot_of(hash, player)];
  if (slot.player == 0) {
    players_.push_back(arena_->add(player));
    slot = Slot{hash, static_cast<std::uint32_t>(players_.size())};
  }
  add_to(arena_->tally(players_[slot.player - 1]), board_, result);
}

Result<void> FoldedBoard::load_into(RankIndex& index) const {
  struct Ranked {
    ordered::RankKey key;
    TallyArena::Ref ref;
  };
  const RankKeyCodec codec(board_);
  std::vector<Ranked> ranked;
  ranked.reserve(players_.size());
  for (const TallyArena::Ref ref : players_) {
    const auto key = codec.encode(*standing_of(arena_->tally(ref), board_));
    if (!key) return fail(Code::damaged, "a stored result is out of its board's range: " + key.error().detail);
    ranked.push_back({*key, ref});
  }
  std::sort(ranked.begin(), ranked.end(), [this](const Ranked& a, const Ranked& b) {
    return a.key != b.key ? a.key < b.key : arena_->player(a.ref) < arena_->player(b.ref);
  });
  // By rank the ids lie all over the arena: the ones to come are asked for ahead of time.
  constexpr std::size_t kAhead = 16;
  std::size_t next = 0;
  return index.load(board_, ranked.size(), [&]() -> std::optional<Offer> {
    if (next == ranked.size()) return std::nullopt;
    if (next + kAhead < ranked.size()) arena_->prefetch(ranked[next + kAhead].ref);
    const Ranked& from = ranked[next++];
    return Offer{PlayerId::trusted(std::string(arena_->player(from.ref))), codec.decode(from.key),
                 arena_->tally(from.ref).results};
  });
}

Result<std::size_t> LedgerFold::begin_loads(RankIndex& index) {
  shared_ = !index.exclusive();
  for (const Definition& definition : catalogue_.definitions()) {
    const auto record = catalogue_.find(definition.name.text());
    if (!record) continue;  // dropped just now
    for (const Season& season : (*record)->seasons) {
      for (Board& board : live_boards_of((*record)->definition, season, now_)) {
        if (const auto begun = begin_load(index, std::move(board)); !begun) return fail(begun.error());
      }
    }
  }
  return boards_.size();
}

Result<void> LedgerFold::begin_load(RankIndex& index, Board board) {
  if (shared_) {
    const auto loaded = index.is_loaded(board);
    if (!loaded) return fail(loaded.error());
    if (*loaded) return {};
  }
  if (const auto begun = index.begin_load(board); !begun) {
    return begun.error().code == Code::conflict ? Result<void>() : begun;
  }
  if (!shared_ || board.span.from.ms <= now_.ms + kNoResultsYet.count()) {
    add_board(std::move(board));
    return {};
  }
  const auto loaded = index.load(board, 0, [] { return std::optional<Offer>(); });
  return !loaded && loaded.error().code != Code::conflict ? loaded : Result<void>();
}

Result<void> LedgerFold::keep_loads(RankIndex& index) const {
  for (const auto& board : boards_) {
    if (const auto kept = index.begin_load(board->board()); !kept) return kept;
  }
  return {};
}

void LedgerFold::abandon_loads(RankIndex& index) const {
  for (const auto& board : boards_) index.abandon_load(board->board());
}

void LedgerFold::add(const LedgerRow& row) {
  if (!last_season_ || last_season_->second != row.season || last_season_->first.text() != row.leaderboard) {
    last_season_.emplace(LeaderboardName::trusted(std::string(row.leaderboard)), row.season);
    last_ = folds_for(*last_season_);
  }
  if (last_ == nullptr) return;
  for (FoldedBoard* const board : *last_) {
    if (board->board().span.contains(row.achieved_at)) board->add(row.player, result_of(row));
  }
}

LedgerFold::SeasonFolds* LedgerFold::folds_for(const SeasonKey& season) {
  if (const auto known = by_season_.find(season); known != by_season_.end()) return &known->second;
  if (shared_) return nullptr;
  const auto record = catalogue_.find(season.first.text());
  if (!record) {
    failure_ = Error{Code::damaged,
                     "the ledger has results of a leaderboard that it does not define: " + season.first.text(),
                     {},
                     std::nullopt};
    return nullptr;
  }
  const Season* const opened = find_season(**record, season.second);
  const Season unopened{season.second, std::nullopt, std::nullopt};
  for (Board& board : boards_of((*record)->definition, opened != nullptr ? *opened : unopened, now_)) {
    const bool is_archived = opened != nullptr && opened->state == SeasonState::closed;
    if (!is_archived || board.id.period != Period{}) add_board(std::move(board));
  }
  return &by_season_[season];
}

void LedgerFold::add_board(Board board) {
  boards_.push_back(std::make_unique<FoldedBoard>(std::move(board), arena_, hash_seed_));
  FoldedBoard& added = *boards_.back();
  by_season_[SeasonKey{added.board().id.leaderboard, added.board().id.season}].push_back(&added);
}

Result<void> LedgerFold::load_into(RankIndex& index) const {
  if (failure_) return fail(*failure_);
  for (const auto& board : boards_) {
    const auto loaded = board->load_into(index);
    // Another process took the load over; it has the same ledger.
    if (!loaded && !(shared_ && loaded.error().code == Code::conflict)) return loaded;
  }
  return {};
}

}  // namespace scoreline::leaderboards
