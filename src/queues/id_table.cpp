#include "queues/id_table.h"

#include <xxhash.h>

#include <utility>

#include "base/error.h"

namespace scoreline::queues {

std::uint32_t IdTable::hash(std::string_view id) const {
  return static_cast<std::uint32_t>(XXH3_64bits_withSeed(id.data(), id.size(), seed_));
}

void IdTable::put(Entry entry) {
  std::size_t at = entry.hash & mask();
  while (entries_[at].slot != kNone) at = (at + 1) & mask();
  entries_[at] = entry;
}

void IdTable::resize(std::size_t entries) {
  std::vector<Entry> old = std::exchange(entries_, std::vector<Entry>(entries));
  for (const Entry& entry : old) {
    if (entry.slot != kNone) put(entry);
  }
}

void IdTable::insert(std::uint32_t hash, Slot slot) {
  if (size_ * 4 >= entries_.size() * 3) resize(entries_.empty() ? 16 : entries_.size() * 2);
  put({hash, slot});
  ++size_;
}

void IdTable::erase(std::uint32_t hash, Slot slot) {
  std::size_t hole = hash & mask();
  while (entries_[hole].slot != slot) {
    SCORELINE_CHECK(entries_[hole].slot != kNone);
    hole = (hole + 1) & mask();
  }
  // Those behind the hole that would no longer be reached across it move into it.
  for (std::size_t at = (hole + 1) & mask(); entries_[at].slot != kNone; at = (at + 1) & mask()) {
    const std::size_t home = entries_[at].hash & mask();
    if (((at - home) & mask()) < ((at - hole) & mask())) continue;
    entries_[hole] = entries_[at];
    hole = at;
  }
  entries_[hole] = Entry{};
  --size_;
  if (entries_.size() > 1024 && size_ * 16 < entries_.size()) resize(entries_.size() / 2);
}

}  // namespace scoreline::queues
