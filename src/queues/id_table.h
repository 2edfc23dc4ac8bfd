// Finds a job by its id: an open table of (hash, slot), probed in a row; the ids themselves lie with the jobs.
//
// Thread safety: none.
// Cost: O(1); growing moves 8 bytes an entry. Memory: 11 to 21 bytes a job.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "queues/line.h"

namespace scoreline::queues {

class IdTable {
 public:
  /// `seed`: random, so that nobody outside can choose ids that collide.
  explicit IdTable(std::uint64_t seed) : seed_(seed) {}

  std::uint32_t hash(std::string_view id) const;

  /// `is_it(slot)` says whether the job there has the id that is looked for.
  template <typename IsIt>
  std::optional<Slot> find(std::uint32_t hash, IsIt is_it) const {
    if (entries_.empty()) return std::nullopt;
    for (std::size_t at = hash & mask();; at = (at + 1) & mask()) {
      const Entry& entry = entries_[at];
      if (entry.slot == kNone) return std::nullopt;
      if (entry.hash == hash && is_it(entry.slot)) return entry.slot;
    }
  }
  /// The id is not there yet.
  void insert(std::uint32_t hash, Slot slot);
  /// It is there.
  void erase(std::uint32_t hash, Slot slot);
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return entries_.capacity() * sizeof(Entry); }

 private:
  static constexpr Slot kNone = UINT32_MAX;
  struct Entry {
    std::uint32_t hash = 0;
    Slot slot = kNone;
  };
  std::size_t mask() const { return entries_.size() - 1; }
  void resize(std::size_t entries);
  void put(Entry entry);

  std::uint64_t seed_;
  std::vector<Entry> entries_;  // a power of two of them, or none
  std::size_t size_ = 0;
};

}  // namespace scoreline::queues
