// The small form: a few dozen members in one allocation, packed half byte by half byte.
//
// Ids of one game and keys of one season are much alike, so each byte position is stored as it needs: not at all when
// zero everywhere, once when constant, its low half only when the high half is constant (decimal digits), or whole.
// Ten members with 15-byte ids and 112-bit keys take about 140 bytes. Every call unpacks all of it, and a write packs
// it again: cheap at this size, and simple.
//
// Invariants: members ascend by (key, bytes); at most kMaxMembers.
// Thread safety: none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "ordered/rank_key.h"

namespace scoreline::ordered {

class PackedBoard {
 public:
  static constexpr std::size_t kMaxMembers = 33;

  /// The members, ascending, unpacked. Not movable: the views point into `text`.
  class Open {
   public:
    struct Entry {
      RankKey key;
      std::string_view member;
    };

    Open() = default;
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    std::size_t size() const { return size_; }
    const Entry& operator[](std::size_t i) const { return entries_[i]; }
    /// The place of `member`, or size().
    std::size_t find(std::string_view member) const;
    /// How many stand before (key, member).
    std::size_t count_before(RankKey key, std::string_view member) const;
    /// `member` must not be there; its bytes must live as long as this.
    void insert(RankKey key, std::string_view member);
    void erase(std::size_t place);

   private:
    friend class PackedBoard;
    std::size_t size_ = 0;
    Entry entries_[kMaxMembers];
    char text_[kMaxMembers * 255];
  };

  std::size_t size() const { return bytes_ ? static_cast<std::size_t>(bytes_[0]) : 0; }
  void open(Open& out) const;
  void store(const Open& from);
  void clear() { bytes_.reset(); }
  /// Bytes allocated.
  std::size_t memory_bytes() const;

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
};

}  // namespace scoreline::ordered
