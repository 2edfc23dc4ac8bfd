// Which leaf holds a member: a hash table of 5 bytes an entry that never rehashes all at once.
//
// It knows no members, only hashes. A hash has three parts: its top bits choose a segment (through a directory, as in
// extendible hashing), its low 16 bits are the tag, which is stored and also gives the home line within the segment.
// So a segment grows line by line from its tags alone; only a split, once in a doubling, asks the owner for whole
// hashes. A line is 64 bytes: 12 entries and how many entries had to go past it, which lets erase leave no tombstones.
//
// Two members with the same tag in the same segment and leaf have equal entries; the entries stand for both and are
// interchangeable, so it does not matter which one is found.
//
// Invariants: size() is the number of entries; each segment is at most kFull full.
// Thread safety: none. Cost: one cache miss a look-up (1.1 on average); growth stops for at most one segment (1,500
// entries, about 10 µs to grow, 100 µs to split).
#pragma once

#include <cstdint>
#include <vector>

#include "ordered/block_arena.h"
#include "ordered/byte_search.h"
#include "ordered/function_ref.h"

namespace scoreline::ordered {

inline constexpr std::uint32_t kNoLeaf = UINT32_MAX;
/// Leaf ids are stored in three bytes.
inline constexpr std::uint32_t kMaxLeaves = (1U << 24) - 1;

/// Asked when a segment splits: what the table does not store.
class MemberHashes {
 public:
  virtual ~MemberHashes() = default;
  /// Appends the hashes of the members in `leaf` whose low byte is `tag`.
  virtual void append_hashes(std::uint32_t leaf, std::uint8_t tag, std::vector<std::uint64_t>& out) const = 0;
  /// `leaf` will be asked for soon.
  virtual void expect(std::uint32_t leaf) const = 0;
};

class MemberTable {
 public:
  /// Room for `expected` entries from the start.
  explicit MemberTable(std::uint64_t expected = 0);

  std::uint64_t size() const { return size_; }
  std::size_t memory_bytes() const;

  /// The leaf of the first entry with this hash for which `holds(leaf)` is true, else kNoLeaf.
  template <typename Holds>
  std::uint32_t find(std::uint64_t hash, Holds&& holds) const;
  /// A leaf that probably has it, or kNoLeaf: for looking ahead.
  std::uint32_t probable(std::uint64_t hash) const {
    return find(hash, [](std::uint32_t) { return true; });
  }
  void prefetch(std::uint64_t hash) const {
    const Segment& segment = segment_of(hash);
    __builtin_prefetch(&line(segment, home_of(tag_of(hash), segment)));
  }

  /// The member must not be in any leaf yet: a split asks `hashes` about all that are.
  void insert(std::uint64_t hash, std::uint32_t leaf, const MemberHashes& hashes);
  /// The entry (hash, leaf) must be there.
  void erase(std::uint64_t hash, std::uint32_t leaf);
  void move(std::uint64_t hash, std::uint32_t from, std::uint32_t to);

  /// Checks its own invariants; visits nothing else.
  void check() const;

 private:
  static constexpr std::uint32_t kLineEntries = 12;
  static constexpr std::uint32_t kPageLines = 16;
  static constexpr std::uint32_t kMaxPages = 8;

  struct alignas(64) Line {
    std::uint16_t tags[kLineEntries];
    std::uint8_t leaves[3 * kLineEntries];
    std::uint8_t size;
    std::uint8_t unused;
    std::uint16_t passed;  ///< entries whose home is here or before, but that lie further on

    std::uint32_t leaf(std::uint32_t i) const {
      return leaves[3 * i] | static_cast<std::uint32_t>(leaves[3 * i + 1]) << 8 |
             static_cast<std::uint32_t>(leaves[3 * i + 2]) << 16;
    }
    void set_leaf(std::uint32_t i, std::uint32_t to) {
      leaves[3 * i] = static_cast<std::uint8_t>(to);
      leaves[3 * i + 1] = static_cast<std::uint8_t>(to >> 8);
      leaves[3 * i + 2] = static_cast<std::uint8_t>(to >> 16);
    }
    std::uint32_t matches(std::uint16_t tag) const { return match_12_words(tags, tag) & ((1U << size) - 1); }
  };
  static_assert(sizeof(Line) == 64);

  struct Segment {
    std::uint32_t pages[kMaxPages];
    std::uint16_t size;  ///< entries
    std::uint8_t page_count;
    std::uint8_t depth;  ///< leading hash bits that all its entries share

    std::uint32_t lines() const { return page_count * kPageLines; }
    std::uint32_t room() const { return lines() * kLineEntries * 7 / 8; }
  };

  struct Entry {
    std::uint16_t tag;
    std::uint32_t leaf;
  };

  static std::uint16_t tag_of(std::uint64_t hash) { return static_cast<std::uint16_t>(hash); }
  static std::uint32_t home_of(std::uint16_t tag, const Segment& segment) { return tag * segment.lines() >> 16; }
  std::uint32_t directory_place(std::uint64_t hash) const {
    return depth_ == 0 ? 0 : static_cast<std::uint32_t>(hash >> (64 - depth_));
  }
  const Segment& segment_of(std::uint64_t hash) const { return segments_[directory_[directory_place(hash)]]; }
  Segment& segment_of(std::uint64_t hash) { return segments_[directory_[directory_place(hash)]]; }
  Line& line(const Segment& segment, std::uint32_t i) const {
    return reinterpret_cast<Line*>(arena_.at(segment.pages[i / kPageLines]))[i % kPageLines];
  }

  Segment new_segment(const std::vector<Entry>& entries, std::uint32_t depth);
  void add_page(Segment& segment);
  void place(Segment& segment, Entry entry);
  void take_all(Segment& segment, std::vector<Entry>& out);
  void grow(Segment& segment);
  void divide_directory(std::uint64_t hash, std::uint32_t new_id);
  void split(std::uint64_t hash, const MemberHashes& hashes);
  void locate(std::uint64_t hash, std::uint32_t leaf, std::uint32_t& steps, std::uint32_t& i) const;

  BlockArena arena_{kPageLines * sizeof(Line)};
  std::vector<std::uint32_t> directory_;
  std::vector<Segment> segments_;
  std::vector<Entry> moving_;
  std::uint64_t size_ = 0;
  std::uint32_t depth_ = 0;
};

template <typename Holds>
std::uint32_t MemberTable::find(std::uint64_t hash, Holds&& holds) const {
  const Segment& segment = segment_of(hash);
  const std::uint16_t tag = tag_of(hash);
  const std::uint32_t lines = segment.lines();
  std::uint32_t at = home_of(tag, segment);
  for (std::uint32_t step = 0; step < lines; ++step) {
    const Line& here = line(segment, at);
    for (std::uint32_t matches = here.matches(tag); matches != 0; matches &= matches - 1) {
      const std::uint32_t leaf = here.leaf(static_cast<std::uint32_t>(std::countr_zero(matches)));
      if (holds(leaf)) return leaf;
    }
    if (here.passed == 0) break;
    at = at + 1 == lines ? 0 : at + 1;
  }
  return kNoLeaf;
}

}  // namespace scoreline::ordered
