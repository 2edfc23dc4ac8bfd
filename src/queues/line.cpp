#include "queues/line.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace scoreline::queues {

std::uint32_t Line::Block::lower_bound(Key key) const {
  const Entry* const found = std::lower_bound(entries->at + begin, entries->at + end, key,
                                              [](const Entry& entry, Key wanted) { return entry.key < wanted; });
  return static_cast<std::uint32_t>(found - entries->at);
}

/// The last block whose keys may reach `key`: the one that has it, or that it belongs into. Not of an empty line.
std::size_t Line::block_of(Key key) const {
  const auto first = blocks_.begin() + static_cast<std::ptrdiff_t>(head_);
  const auto after = std::upper_bound(first + 1, blocks_.end(), key,
                                      [](Key wanted, const Block& block) { return wanted < block.low; });
  return static_cast<std::size_t>(after - blocks_.begin()) - 1;
}

std::unique_ptr<Line::Entries> Line::take_entries() {
  return spare_ ? std::move(spare_) : std::unique_ptr<Entries>(new Entries);
}

void Line::insert(Key key, Slot slot) {
  ++size_;
  if (size_ == 1 || back().key < key) return append(key, slot);
  insert_into(block_of(key), key, slot);
}

void Line::append(Key key, Slot slot) {
  if (size_ == 1 || blocks_.back().end == kBlockEntries) {
    blocks_.push_back(Block{key, take_entries(), 0, 0});
  }
  Block& block = blocks_.back();
  block.entries->at[block.end++] = {key, slot};
}

void Line::insert_into(std::size_t at, Key key, Slot slot) {
  if (blocks_[at].size() == kBlockEntries) at = split(at, key);
  Block& block = blocks_[at];
  block.low = std::min(block.low, key);
  const std::uint32_t place = block.lower_bound(key);
  Entry* const entries = block.entries->at;
  // Jobs that come back go to the front, where room is left by those that were taken.
  const bool shift_front = block.begin > 0 && (block.end == kBlockEntries || place - block.begin < block.end - place);
  if (shift_front) {
    std::move(entries + block.begin, entries + place, entries + block.begin - 1);
    --block.begin;
    entries[place - 1] = {key, slot};
  } else {
    std::move_backward(entries + place, entries + block.end, entries + block.end + 1);
    ++block.end;
    entries[place] = {key, slot};
  }
}

/// Makes two half full blocks of a full one; which of them `key` belongs into.
std::size_t Line::split(std::size_t at, Key key) {
  constexpr std::uint32_t kHalf = kBlockEntries / 2;
  Block upper{blocks_[at].entries->at[kHalf].key, take_entries(), 0, kHalf};
  std::copy_n(blocks_[at].entries->at + kHalf, kHalf, upper.entries->at);
  blocks_[at].end = kHalf;
  const bool goes_up = !(key < upper.low);
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(upper));
  return goes_up ? at + 1 : at;
}

void Line::pop_front() {
  --size_;
  Block& block = blocks_[head_];
  if (++block.begin == block.end) return drop_block(head_);
  // The next block was written long ago and lies far away: piece by piece it comes nearer.
  constexpr std::size_t kCacheLine = 64, kPieces = sizeof(Entries) / kCacheLine;
  if (block.size() <= kPieces && head_ + 1 < blocks_.size()) {
    const auto* const next = reinterpret_cast<const char*>(blocks_[head_ + 1].entries.get());
    __builtin_prefetch(next + (kPieces - block.size()) * kCacheLine);
  }
}

const Line::Entry* Line::near_front(std::size_t places) const {
  const Block& block = blocks_[head_];
  if (places < block.size()) return &block.first() + places;
  places -= block.size();
  if (head_ + 1 == blocks_.size() || places >= blocks_[head_ + 1].size()) return nullptr;
  return &blocks_[head_ + 1].first() + places;
}

void Line::erase(Key key) {
  if (front().key == key) return pop_front();
  const std::size_t at = block_of(key);
  Block& block = blocks_[at];
  const std::uint32_t place = block.lower_bound(key);
  SCORELINE_CHECK(place < block.end && block.entries->at[place].key == key);
  Entry* const entries = block.entries->at;
  std::move(entries + place + 1, entries + block.end, entries + place);
  --block.end;
  --size_;
  block.size() == 0 ? drop_block(at) : merge_if_few(at);
}

void Line::drop_block(std::size_t at) {
  spare_ = std::move(blocks_[at].entries);
  if (at != head_) {
    blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at));
    return;
  }
  // Used up from the front: the directory moves down only when half of it has gone.
  if (++head_ * 2 < blocks_.size() + 1) return;
  blocks_.erase(blocks_.begin(), blocks_.begin() + static_cast<std::ptrdiff_t>(head_));
  head_ = 0;
  if (blocks_.capacity() > 64 && blocks_.size() * 8 < blocks_.capacity()) blocks_.shrink_to_fit();
}

/// Joins a block that has few entries with a neighbour that has few, so that random leaving does not leave blocks of
/// one entry each.
void Line::merge_if_few(std::size_t at) {
  if (blocks_[at].size() > kBlockEntries / 8) return;
  if (at + 1 < blocks_.size() && merge_with_next(at)) return;
  if (at > head_) merge_with_next(at - 1);
}

bool Line::merge_with_next(std::size_t at) {
  Block& block = blocks_[at];
  const Block& next = blocks_[at + 1];
  if (block.size() + next.size() > kBlockEntries / 2) return false;
  Entry* const entries = block.entries->at;
  if (block.end + next.size() > kBlockEntries) {
    std::move(entries + block.begin, entries + block.end, entries);
    block.end -= block.begin;
    block.begin = 0;
  }
  std::copy(next.entries->at + next.begin, next.entries->at + next.end, entries + block.end);
  block.end += static_cast<std::uint32_t>(next.size());
  drop_block(at + 1);
  return true;
}

std::size_t Line::rank(Key key) const {
  if (size_ == 0) return 0;
  const std::size_t at = block_of(key);
  std::size_t before = 0;
  for (std::size_t i = head_; i < at; ++i) before += blocks_[i].size();
  return before + blocks_[at].lower_bound(key) - blocks_[at].begin;
}

void Line::visit(std::size_t first, ordered::FunctionRef<bool(const Entry&)> visit) const {
  for (std::size_t at = head_; at < blocks_.size(); ++at) {
    const Block& block = blocks_[at];
    if (first >= block.size()) {
      first -= block.size();
      continue;
    }
    for (std::size_t i = block.begin + first; i < block.end; ++i) {
      if (!visit(block.entries->at[i])) return;
    }
    first = 0;
  }
}

std::size_t Line::memory_bytes() const {
  const std::size_t held = blocks_.size() - head_ + (spare_ ? 1 : 0);
  return held * sizeof(Entries) + blocks_.capacity() * sizeof(Block);
}

void Line::check() const {
  std::size_t counted = 0;
  const Key* previous = nullptr;
  for (std::size_t at = head_; at < blocks_.size(); ++at) {
    const Block& block = blocks_[at];
    SCORELINE_CHECK(block.begin < block.end && block.end <= kBlockEntries);
    SCORELINE_CHECK(previous == nullptr || *previous < block.low);
    SCORELINE_CHECK(!(block.first().key < block.low));
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const Key& key = block.entries->at[i].key;
      SCORELINE_CHECK(previous == nullptr || *previous < key);
      previous = &key;
    }
    counted += block.size();
  }
  SCORELINE_CHECK(counted == size_);
}

}  // namespace scoreline::queues
