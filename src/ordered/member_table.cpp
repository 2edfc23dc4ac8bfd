#include "ordered/member_table.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/error.h"

namespace scoreline::ordered {

MemberTable::MemberTable(std::uint64_t expected) {
  // Segments that will be half to three quarters of the largest size, then grow the rest of the way as needed.
  constexpr std::uint64_t kAim = kMaxPages * kPageLines * kLineEntries * 2 / 3;
  while (depth_ < 24 && (expected >> depth_) > kAim) ++depth_;
  const std::uint64_t each = (expected >> depth_) + 1;
  const auto pages = std::clamp<std::uint64_t>(each / (kPageLines * kLineEntries * 7 / 8), 1, kMaxPages);
  for (std::uint32_t i = 0; i < (1U << depth_); ++i) {
    directory_.push_back(i);
    segments_.push_back({});
    segments_.back().depth = static_cast<std::uint8_t>(depth_);
    while (segments_.back().page_count < pages) add_page(segments_.back());
  }
}

std::size_t MemberTable::memory_bytes() const {
  return arena_.bytes() + directory_.capacity() * sizeof(std::uint32_t) + segments_.capacity() * sizeof(Segment) +
         moving_.capacity() * sizeof(Entry);
}

MemberTable::Segment MemberTable::new_segment(const std::vector<Entry>& entries, std::uint32_t depth) {
  Segment segment{};
  segment.depth = static_cast<std::uint8_t>(depth);
  do {
    add_page(segment);
  } while (segment.page_count < kMaxPages && segment.room() <= entries.size());
  for (const Entry& entry : entries) place(segment, entry);
  return segment;
}

void MemberTable::add_page(Segment& segment) {
  const std::uint32_t page = arena_.allocate();
  std::memset(arena_.at(page), 0, kPageLines * sizeof(Line));
  segment.pages[segment.page_count++] = page;
}

void MemberTable::place(Segment& segment, Entry entry) {
  const std::uint32_t lines = segment.lines();
  std::uint32_t at = home_of(entry.tag, segment);
  while (true) {
    Line& here = line(segment, at);
    if (here.size < kLineEntries) {
      here.tags[here.size] = entry.tag;
      here.set_leaf(here.size++, entry.leaf);
      ++segment.size;
      return;
    }
    ++here.passed;
    at = at + 1 == lines ? 0 : at + 1;
  }
}

void MemberTable::take_all(Segment& segment, std::vector<Entry>& out) {
  out.clear();
  for (std::uint32_t i = 0; i < segment.lines(); ++i) {
    Line& here = line(segment, i);
    for (std::uint32_t k = 0; k < here.size; ++k) out.push_back({here.tags[k], here.leaf(k)});
    here.size = 0;
    here.passed = 0;
  }
  segment.size = 0;
}

void MemberTable::grow(Segment& segment) {
  take_all(segment, moving_);
  add_page(segment);
  for (const Entry& entry : moving_) place(segment, entry);
}

/// Makes room in the directory for one more hash bit of the segment of `hash`, and gives the upper half to `new_id`.
void MemberTable::divide_directory(std::uint64_t hash, std::uint32_t new_id) {
  if (segment_of(hash).depth == depth_) {
    SCORELINE_CHECK(depth_ < 30);
    std::vector<std::uint32_t> doubled(directory_.size() * 2);
    for (std::size_t i = 0; i < doubled.size(); ++i) doubled[i] = directory_[i / 2];
    directory_ = std::move(doubled);
    ++depth_;
  }
  // The segment's places in the directory are one aligned run, as long as a power of two.
  const std::uint32_t run = 1U << (depth_ - segment_of(hash).depth);
  const std::uint32_t first = directory_place(hash) / run * run;
  std::fill_n(directory_.begin() + first + run / 2, run / 2, new_id);
}

void MemberTable::split(std::uint64_t hash, const MemberHashes& hashes) {
  const std::uint32_t old_id = directory_[directory_place(hash)];
  const auto new_id = static_cast<std::uint32_t>(segments_.size());
  const std::uint32_t depth = segments_[old_id].depth;
  const auto is_ours = [hash, depth](std::uint64_t other, std::uint16_t tag) {
    return tag_of(other) == tag && (depth == 0 || ((other ^ hash) >> (64 - depth)) == 0);
  };
  std::vector<Entry> entries;
  take_all(segments_[old_id], entries);
  for (std::uint32_t i = 0; i < segments_[old_id].page_count; ++i) arena_.release(segments_[old_id].pages[i]);

  // Equal entries stand for several members; the first of them brings all their hashes.
  std::sort(entries.begin(), entries.end(),
            [](Entry a, Entry b) { return a.tag != b.tag ? a.tag < b.tag : a.leaf < b.leaf; });
  constexpr std::size_t kAhead = 16;
  std::vector<Entry> sides[2];
  std::vector<std::uint64_t> found;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (i + kAhead < entries.size()) hashes.expect(entries[i + kAhead].leaf);
    if (i > 0 && entries[i].tag == entries[i - 1].tag && entries[i].leaf == entries[i - 1].leaf) continue;
    found.clear();
    hashes.append_hashes(entries[i].leaf, static_cast<std::uint8_t>(entries[i].tag), found);
    for (const std::uint64_t other : found) {
      if (is_ours(other, entries[i].tag)) sides[other >> (63 - depth) & 1].push_back(entries[i]);
    }
  }
  SCORELINE_CHECK(sides[0].size() + sides[1].size() == entries.size());

  divide_directory(hash, new_id);
  segments_.push_back(new_segment(sides[1], depth + 1));
  segments_[old_id] = new_segment(sides[0], depth + 1);
}

void MemberTable::insert(std::uint64_t hash, std::uint32_t leaf, const MemberHashes& hashes) {
  SCORELINE_CHECK(leaf < kMaxLeaves);
  while (segment_of(hash).size >= segment_of(hash).room()) {
    if (segment_of(hash).page_count < kMaxPages) {
      grow(segment_of(hash));
    } else {
      split(hash, hashes);
    }
  }
  place(segment_of(hash), {tag_of(hash), leaf});
  ++size_;
}

/// Steps from the home line to the line of the entry (hash, leaf), and its place `i` in it.
void MemberTable::locate(std::uint64_t hash, std::uint32_t leaf, std::uint32_t& steps, std::uint32_t& i) const {
  const Segment& segment = segment_of(hash);
  const std::uint16_t tag = tag_of(hash);
  const std::uint32_t home = home_of(tag, segment);
  for (steps = 0; steps < segment.lines(); ++steps) {
    const Line& here = line(segment, (home + steps) % segment.lines());
    for (std::uint32_t matches = here.matches(tag); matches != 0; matches &= matches - 1) {
      i = static_cast<std::uint32_t>(std::countr_zero(matches));
      if (here.leaf(i) == leaf) return;
    }
  }
  SCORELINE_CHECK(!"an entry that must be there");
}

void MemberTable::erase(std::uint64_t hash, std::uint32_t leaf) {
  std::uint32_t steps = 0;
  std::uint32_t i = 0;
  locate(hash, leaf, steps, i);
  Segment& segment = segment_of(hash);
  const std::uint32_t home = home_of(tag_of(hash), segment);
  for (std::uint32_t step = 0; step < steps; ++step) --line(segment, (home + step) % segment.lines()).passed;
  Line& here = line(segment, (home + steps) % segment.lines());
  --here.size;
  here.tags[i] = here.tags[here.size];
  here.set_leaf(i, here.leaf(here.size));
  --segment.size;
  --size_;
}

void MemberTable::move(std::uint64_t hash, std::uint32_t from, std::uint32_t to) {
  std::uint32_t steps = 0;
  std::uint32_t i = 0;
  locate(hash, from, steps, i);
  const Segment& segment = segment_of(hash);
  line(segment, (home_of(tag_of(hash), segment) + steps) % segment.lines()).set_leaf(i, to);
}

void MemberTable::check() const {
  SCORELINE_CHECK(directory_.size() == std::size_t{1} << depth_);
  std::uint64_t total = 0;
  for (const Segment& segment : segments_) {
    std::uint32_t entries = 0;
    std::vector<std::uint32_t> passed(segment.lines());
    for (std::uint32_t at = 0; at < segment.lines(); ++at) {
      const Line& here = line(segment, at);
      entries += here.size;
      for (std::uint32_t i = 0; i < here.size; ++i) {
        for (std::uint32_t step = home_of(here.tags[i], segment); step != at; step = (step + 1) % segment.lines()) {
          ++passed[step];
        }
      }
    }
    for (std::uint32_t at = 0; at < segment.lines(); ++at) SCORELINE_CHECK(line(segment, at).passed == passed[at]);
    SCORELINE_CHECK(entries == segment.size && entries <= segment.room());
    total += entries;
  }
  SCORELINE_CHECK(total == size_);
  for (std::size_t i = 0; i < directory_.size(); ++i) SCORELINE_CHECK(directory_[i] < segments_.size());
}

}  // namespace scoreline::ordered
