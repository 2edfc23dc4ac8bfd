#include "leaderboards/ledger_fold.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <new>
#include <string>

#include "base/limits.h"
#include "leaderboards/rank_key_codec.h"
#include "ordered/rank_key.h"

namespace scoreline::leaderboards {
namespace {

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

FoldedBoard::Slot& FoldedBoard::slot_of(std::uint64_t hash, std::string_view player) {
  const std::size_t mask = slots_.size() - 1;
  const auto tag = static_cast<std::uint32_t>(hash >> 32);
  for (std::size_t at = hash & mask;; at = (at + 1) & mask) {
    Slot& slot = slots_[at];
    if (slot.ref == 0 || (slot.tag == tag && arena_->player(slot.ref - 1) == player)) return slot;
  }
}

void FoldedBoard::grow() {
  std::vector<Slot> old(slots_.empty() ? 16 : slots_.size() * 2);
  old.swap(slots_);
  const std::size_t mask = slots_.size() - 1;
  for (const Slot& slot : old) {
    if (slot.ref == 0) continue;
    std::size_t at = std::hash<std::string_view>{}(arena_->player(slot.ref - 1)) & mask;
    while (slots_[at].ref != 0) at = (at + 1) & mask;
    slots_[at] = slot;
  }
}

void FoldedBoard::add(std::string_view player, std::int64_t points, Timestamp achieved_at) {
  if (players_ * 4 >= slots_.size() * 3) grow();
  const std::uint64_t hash = std::hash<std::string_view>{}(player);
  Slot& slot = slot_of(hash, player);
  if (slot.ref == 0) {
    slot = Slot{static_cast<std::uint32_t>(hash >> 32), arena_->add(player) + 1};
    ++players_;
  }
  add_to(arena_->tally(slot.ref - 1), board_, points, achieved_at);
}

Result<void> FoldedBoard::load_into(RankIndex& index) const {
  struct Ranked {
    ordered::RankKey key;
    TallyArena::Ref ref;
  };
  const RankKeyCodec codec(board_);
  std::vector<Ranked> ranked;
  ranked.reserve(players_);
  for (const Slot& slot : slots_) {
    if (slot.ref == 0) continue;
    const auto key = codec.encode(*standing_of(arena_->tally(slot.ref - 1)));
    if (!key) return fail(Code::damaged, "a stored result is out of its board's range: " + key.error().detail);
    ranked.push_back({*key, slot.ref - 1});
  }
  std::sort(ranked.begin(), ranked.end(), [this](const Ranked& a, const Ranked& b) {
    return a.key != b.key ? a.key < b.key : arena_->player(a.ref) < arena_->player(b.ref);
  });
  auto next = ranked.begin();
  return index.load(board_, [&]() -> std::optional<Offer> {
    if (next == ranked.end()) return std::nullopt;
    const Ranked& from = *next++;
    return Offer{PlayerId::trusted(std::string(arena_->player(from.ref))), codec.decode(from.key)};
  });
}

void LedgerFold::add(const LedgerRow& row) {
  if (last_ == nullptr || last_->board().id.season != row.season ||
      last_->board().id.leaderboard.text() != row.leaderboard) {
    last_ = board_for(row);
  }
  if (last_ != nullptr) last_->add(row.player, row.points, row.achieved_at);
}

FoldedBoard* LedgerFold::board_for(const LedgerRow& row) {
  const BoardId id{LeaderboardName::trusted(std::string(row.leaderboard)), row.season};
  if (const auto known = by_id_.find(id); known != by_id_.end()) return known->second;
  auto board = catalogue_.board(row.leaderboard, row.season);
  if (!board) {
    failure_ = Error{Code::damaged, "the ledger has results of a leaderboard that it does not define: " +
                                        std::string(row.leaderboard), {}, std::nullopt};
    return nullptr;
  }
  boards_.push_back(std::make_unique<FoldedBoard>(*std::move(board), arena_));
  return by_id_.emplace(id, boards_.back().get()).first->second;
}

Result<void> LedgerFold::load_into(RankIndex& index) const {
  if (failure_) return fail(*failure_);
  for (const auto& board : boards_) {
    if (const auto loaded = board->load_into(index); !loaded) return loaded;
  }
  return {};
}

}  // namespace scoreline::leaderboards
