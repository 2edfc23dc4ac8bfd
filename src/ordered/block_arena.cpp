#include "ordered/block_arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "base/error.h"

namespace scoreline::ordered {
namespace {

constexpr std::size_t kCacheLine = 64;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// From here on a region is a mapping of its own. Not lower: a process may have about 65,000 mappings.
constexpr std::size_t kMapFrom = std::size_t{1} << 20;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Maps `bytes`, aligned to huge pages, and asks for them; the kernel may say no, then it is merely slower.
std::byte* map_pages(std::size_t bytes) {
  const std::size_t room = round_up(bytes, kPage) + kHugePage;
  void* const start = ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (start == MAP_FAILED) throw std::bad_alloc();
  auto* const first = static_cast<std::byte*>(start);
  const auto address = reinterpret_cast<std::uintptr_t>(start);
  const std::size_t skip = round_up(address, kHugePage) - address;
  if (skip > 0) ::munmap(first, skip);
  ::munmap(first + skip + round_up(bytes, kPage), room - skip - round_up(bytes, kPage));
  ::madvise(first + skip, round_up(bytes, kPage), MADV_HUGEPAGE);
  return first + skip;
}

std::byte* allocate_region(std::size_t bytes) {
  if (bytes >= kMapFrom) return map_pages(bytes);
  void* const region = std::aligned_alloc(kCacheLine, bytes);
  if (region == nullptr) throw std::bad_alloc();
  return static_cast<std::byte*>(region);
}

void free_region(std::byte* region, std::size_t bytes) {
  if (bytes >= kMapFrom) {
    ::munmap(region, round_up(bytes, kPage));
  } else {
    std::free(region);
  }
}

}  // namespace

BlockArena::~BlockArena() {
  for (const Region& region : regions_) free_region(region.start, region.bytes);
}

std::byte* BlockArena::new_region(std::size_t bytes) {
  regions_.reserve(regions_.size() + 1);
  std::byte* const start = allocate_region(bytes);
  regions_.push_back({start, bytes});
  return start;
}

std::byte* BlockArena::new_chunk() {
  const std::size_t before = chunks_.size();
  if (before < kDoublings) return new_region(block_bytes_ << before);
  const std::size_t bytes = block_bytes_ << kDoublings;
  if (region_left_ == 0) {
    region_left_ = bytes * std::bit_floor(std::min<std::size_t>(before - kDoublings + 1, kRegionChunks));
    new_region(region_left_);
  }
  region_left_ -= bytes;
  const Region& region = regions_.back();
  return region.start + (region.bytes - region_left_ - bytes);
}

std::uint32_t BlockArena::allocate() {
  if (!free_.empty()) {
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  const std::uint32_t nth = next_ + 1;
  SCORELINE_CHECK(nth != UINT32_MAX);
  const bool starts_chunk = nth >= kChunkBlocks ? nth % kChunkBlocks == 0 : std::has_single_bit(nth);
  if (starts_chunk) {
    chunks_.reserve(chunks_.size() + 1);
    chunks_.push_back(new_chunk());
  }
  return next_++;
}

void BlockArena::release(std::uint32_t id) { free_.push_back(id); }

std::size_t BlockArena::bytes() const {
  return next_ * block_bytes_ + free_.capacity() * sizeof(std::uint32_t) + chunks_.capacity() * sizeof(std::byte*) +
         regions_.capacity() * sizeof(Region);
}

}  // namespace scoreline::ordered
