#include "adapters/sqlite/head_witness.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <xxhash.h>

#include <array>
#include <cerrno>
#include <system_error>

namespace scoreline::sqlite {
namespace {

// In native byte order: the file belongs to one machine and is made again when it cannot be read.
struct Slot {
  std::uint64_t magic = 0;
  std::uint64_t seq = 0;
  std::uint64_t chain = 0;
  std::uint64_t checksum = 0;  ///< of the three above
};

constexpr std::uint64_t kMagic = 0x6461'6568'4C43'5301;
// A sector or page that tears takes one slot with it, never both.
constexpr off_t kSlotDistance = 4096;

std::uint64_t checksum(const Slot& slot) { return XXH3_64bits(&slot, offsetof(Slot, checksum)); }

std::optional<Head> read_slot(int fd, int index) {
  Slot slot;
  if (::pread(fd, &slot, sizeof slot, index * kSlotDistance) != ssize_t{sizeof slot}) return std::nullopt;
  if (slot.magic != kMagic || slot.checksum != checksum(slot)) return std::nullopt;
  return Head{slot.seq, slot.chain};
}

void write_slot(int fd, int index, const Head& head) {
  Slot slot{kMagic, head.seq, head.chain, 0};
  slot.checksum = checksum(slot);
  static_cast<void>(::pwrite(fd, &slot, sizeof slot, index * kSlotDistance) == ssize_t{sizeof slot});
}

}  // namespace

Result<HeadWitness> HeadWitness::open(const std::filesystem::path& file) {
  FileDescriptor opened(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!opened.is_open()) {
    return fail(Code::storage_failed,
                fmt::format("opening {}: {}", file.string(), std::generic_category().message(errno)));
  }
  return HeadWitness(std::move(opened));
}

std::optional<Head> HeadWitness::last() const {
  const auto first = read_slot(file_.get(), 0);
  const auto second = read_slot(file_.get(), 1);
  if (!first || !second) return first ? first : second;
  return first->seq > second->seq ? first : second;
}

void HeadWitness::write(const Head& head) const { write_slot(file_.get(), static_cast<int>(head.seq % 2), head); }

void HeadWitness::write_both(const Head& head) const {
  write_slot(file_.get(), 0, head);
  write_slot(file_.get(), 1, head);
}

}  // namespace scoreline::sqlite
