// Blocks of one size, named by a 32-bit id instead of a pointer.
//
// Chunks double from one block up to kChunkBlocks, then stay that size: a small board pays for few blocks. Chunks are
// cut from regions, which double too: those of a big board fill whole huge pages, and large ones are mapped directly,
// so that they return to the system when the arena goes.
// Invariants: a block never moves; ids are dense from 0 and reused after release().
// Thread safety: none; a block's address may be used by any thread.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace scoreline::ordered {

class BlockArena {
 public:
  /// `block_bytes`: a multiple of 64, so that every block starts on a cache line.
  explicit BlockArena(std::size_t block_bytes) : block_bytes_(block_bytes) {}
  BlockArena(const BlockArena&) = delete;
  BlockArena& operator=(const BlockArena&) = delete;
  ~BlockArena();

  /// The content is undefined.
  std::uint32_t allocate();
  void release(std::uint32_t id);

  std::byte* at(std::uint32_t id) const {
    const std::uint32_t nth = id + 1;
    if (nth >= kChunkBlocks) return chunks_[kDoublings - 1 + (nth >> kDoublings)] + (nth % kChunkBlocks) * block_bytes_;
    const auto chunk = static_cast<std::uint32_t>(std::bit_width(nth)) - 1;
    return chunks_[chunk] + (nth - (1U << chunk)) * block_bytes_;
  }

  /// Ids in use and free: every id is below it.
  std::uint32_t id_limit() const { return next_; }
  std::uint32_t blocks_in_use() const { return next_ - static_cast<std::uint32_t>(free_.size()); }
  /// Memory used up to now. Chunks are mapped ahead of use, untouched pages do not count.
  std::size_t bytes() const;

 private:
  static constexpr std::uint32_t kDoublings = 9;
  static constexpr std::uint32_t kChunkBlocks = 1U << kDoublings;
  static constexpr std::size_t kRegionChunks = 64;

  struct Region {
    std::byte* start;
    std::size_t bytes;
  };

  std::byte* new_chunk();
  std::byte* new_region(std::size_t bytes);

  std::size_t block_bytes_;
  std::uint32_t next_ = 0;
  std::vector<std::byte*> chunks_;
  std::vector<Region> regions_;
  std::size_t region_left_ = 0;  // bytes of the last region that are not yet in a chunk
  std::vector<std::uint32_t> free_;
};

}  // namespace scoreline::ordered
