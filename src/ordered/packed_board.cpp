#include "ordered/packed_board.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/error.h"

namespace scoreline::ordered {
namespace {

constexpr std::size_t kKeyBytes = 16;

/// How one byte position is stored.
enum class Shape : std::uint8_t {
  zero,      ///< zero in every entry: not at all
  constant,  ///< once
  low_half,  ///< the high half once, the low half with each entry
  whole,     ///< with each entry
};

class Writer {
 public:
  explicit Writer(std::uint8_t* to) : to_(to) {}
  void half(std::uint32_t value) {
    if (halves_ % 2 == 0) to_[halves_ / 2] = 0;
    to_[halves_ / 2] = static_cast<std::uint8_t>(to_[halves_ / 2] | (value & 15) << (halves_ % 2 * 4));
    ++halves_;
  }
  void byte(std::uint32_t value) {
    half(value);
    half(value >> 4);
  }
  std::size_t bytes() const { return (halves_ + 1) / 2; }

 private:
  std::uint8_t* to_;
  std::size_t halves_ = 0;
};

class Reader {
 public:
  explicit Reader(const std::uint8_t* from) : from_(from) {}
  std::uint8_t half() {
    const std::uint8_t value = from_[halves_ / 2] >> (halves_ % 2 * 4) & 15;
    ++halves_;
    return value;
  }
  std::uint8_t byte() {
    const std::uint8_t low = half();
    return static_cast<std::uint8_t>(low | half() << 4);
  }

 private:
  const std::uint8_t* from_;
  std::size_t halves_ = 0;
};

/// Byte `position` of an entry: first the key, most significant byte first, then the member.
std::uint8_t byte_at(const PackedBoard::Open::Entry& entry, std::size_t position) {
  if (position < kKeyBytes) return static_cast<std::uint8_t>(entry.key.value >> (8 * (kKeyBytes - 1 - position)));
  return static_cast<std::uint8_t>(entry.member[position - kKeyBytes]);
}

Shape shape_of(const PackedBoard::Open& board, std::size_t position) {
  const std::uint8_t first = byte_at(board[0], position);
  std::uint8_t differences = 0;
  for (std::size_t i = 1; i < board.size(); ++i) {
    differences = static_cast<std::uint8_t>(differences | (byte_at(board[i], position) ^ first));
  }
  if (differences == 0) return first == 0 ? Shape::zero : Shape::constant;
  return differences < 16 ? Shape::low_half : Shape::whole;
}

/// Most bytes that pack() writes.
constexpr std::size_t kMaxPacked = 64 + 2 * (kKeyBytes + 255) + PackedBoard::kMaxMembers * (kKeyBytes + 256);

/// Size, length of the shortest member, whether all are that long, the shapes, what is stored once; then the entries.
std::size_t pack(const PackedBoard::Open& board, std::uint8_t* to) {
  std::size_t shortest = 255;
  std::size_t longest = 0;
  for (std::size_t i = 0; i < board.size(); ++i) {
    shortest = std::min(shortest, board[i].member.size());
    longest = std::max(longest, board[i].member.size());
  }
  const std::size_t positions = kKeyBytes + shortest;
  Writer out(to);
  out.byte(static_cast<std::uint32_t>(board.size()));
  out.byte(static_cast<std::uint32_t>(shortest));
  out.half(shortest == longest ? 1 : 0);
  std::array<Shape, kKeyBytes + 256> shapes;
  for (std::size_t at = 0; at < positions; ++at) shapes[at] = shape_of(board, at);
  shapes[positions] = Shape::zero;  // an odd count is filled up
  for (std::size_t at = 0; at < positions; at += 2) {
    out.half(static_cast<std::uint32_t>(shapes[at]) | static_cast<std::uint32_t>(shapes[at + 1]) << 2);
  }
  for (std::size_t at = 0; at < positions; ++at) {
    if (shapes[at] == Shape::constant) out.byte(byte_at(board[0], at));
    if (shapes[at] == Shape::low_half) out.half(byte_at(board[0], at) >> 4);
  }
  for (std::size_t i = 0; i < board.size(); ++i) {
    for (std::size_t at = 0; at < positions; ++at) {
      if (shapes[at] == Shape::low_half) out.half(byte_at(board[i], at));
      if (shapes[at] == Shape::whole) out.byte(byte_at(board[i], at));
    }
    if (shortest == longest) continue;
    out.byte(static_cast<std::uint32_t>(board[i].member.size()));
    for (std::size_t at = shortest; at < board[i].member.size(); ++at) out.byte(byte_at(board[i], kKeyBytes + at));
  }
  return out.bytes();
}

}  // namespace

std::size_t PackedBoard::Open::find(std::string_view member) const {
  std::size_t place = 0;
  while (place < size_ && entries_[place].member != member) ++place;
  return place;
}

std::size_t PackedBoard::Open::count_before(RankKey key, std::string_view member) const {
  std::size_t place = 0;
  while (place < size_ &&
         (entries_[place].key < key || (entries_[place].key == key && entries_[place].member < member))) {
    ++place;
  }
  return place;
}

void PackedBoard::Open::insert(RankKey key, std::string_view member) {
  SCORELINE_CHECK(size_ < kMaxMembers);
  const std::size_t place = count_before(key, member);
  std::move_backward(entries_ + place, entries_ + size_, entries_ + size_ + 1);
  entries_[place] = {key, member};
  ++size_;
}

void PackedBoard::Open::erase(std::size_t place) {
  std::move(entries_ + place + 1, entries_ + size_, entries_ + place);
  --size_;
}

void PackedBoard::open(Open& out) const {
  out.size_ = 0;
  if (!bytes_) return;
  Reader in(bytes_.get());
  const std::size_t members = in.byte();
  const std::size_t shortest = in.byte();
  const bool same_length = in.half() != 0;
  const std::size_t positions = kKeyBytes + shortest;
  std::array<Shape, kKeyBytes + 256> shapes;
  for (std::size_t at = 0; at < positions; at += 2) {
    const std::uint8_t two = in.half();
    shapes[at] = static_cast<Shape>(two & 3);
    shapes[at + 1] = static_cast<Shape>(two >> 2);
  }
  std::array<std::uint8_t, kKeyBytes + 256> bytes;
  for (std::size_t at = 0; at < positions; ++at) {
    bytes[at] = 0;
    if (shapes[at] == Shape::constant) bytes[at] = in.byte();
    if (shapes[at] == Shape::low_half) bytes[at] = static_cast<std::uint8_t>(in.half() << 4);
  }
  char* text = out.text_;
  for (; out.size_ < members; ++out.size_) {
    for (std::size_t at = 0; at < positions; ++at) {
      if (shapes[at] == Shape::low_half) bytes[at] = static_cast<std::uint8_t>((bytes[at] & 0xF0) | in.half());
      if (shapes[at] == Shape::whole) bytes[at] = in.byte();
    }
    RankKey key;
    for (std::size_t at = 0; at < kKeyBytes; ++at) key.value = key.value << 8 | bytes[at];
    const std::size_t length = same_length ? shortest : in.byte();
    std::memcpy(text, bytes.data() + kKeyBytes, shortest);
    for (std::size_t at = shortest; at < length; ++at) text[at] = static_cast<char>(in.byte());
    out.entries_[out.size_] = {key, {text, length}};
    text += length;
  }
}

void PackedBoard::store(const Open& from) {
  if (from.size() == 0) return clear();
  std::uint8_t packed[kMaxPacked];
  const std::size_t bytes = pack(from, packed);
  std::unique_ptr<std::uint8_t[]> stored(new std::uint8_t[bytes]);
  std::memcpy(stored.get(), packed, bytes);
  bytes_ = std::move(stored);
}

std::size_t PackedBoard::memory_bytes() const {
  if (!bytes_) return 0;
  Open board;
  open(board);
  std::uint8_t packed[kMaxPacked];
  return pack(board, packed);
}

}  // namespace scoreline::ordered
