#include "faults/ledger/recording_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace scoreline::test {
namespace {

DiskRecord* record = nullptr;
sqlite3_vfs* real = nullptr;

/// SQLite allocates szOsFile bytes for each file: ours, then the real one's.
struct File {
  sqlite3_file base;
  char name[64];

  sqlite3_file* inner() { return reinterpret_cast<sqlite3_file*>(this + 1); }
  static File* of(sqlite3_file* file) { return reinterpret_cast<File*>(file); }
};

std::string base_name(const char* path) {
  const std::string_view all = path == nullptr ? "temporary" : path;
  return std::string(all.substr(all.rfind('/') + 1));
}

}  // namespace

/// The methods that SQLite calls.
class RecordingFiles {
 public:
  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    auto* const f = File::of(file);
    record->add({DiskRecord::Kind::write, f->name, offset,
                 std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size))});
    return f->inner()->pMethods->xWrite(f->inner(), bytes, size, offset);
  }
  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    auto* const f = File::of(file);
    record->add({DiskRecord::Kind::truncate, f->name, size, {}});
    return f->inner()->pMethods->xTruncate(f->inner(), size);
  }
  static int sync(sqlite3_file* file, int /*flags*/) {
    record->add({DiskRecord::Kind::sync, File::of(file)->name, 0, {}});
    return SQLITE_OK;
  }
  static int remove(sqlite3_vfs* /*vfs*/, const char* path, int sync_folder) {
    record->add({DiskRecord::Kind::remove, base_name(path), 0, {}});
    return real->xDelete(real, path, sync_folder);
  }
};

namespace {

// Handed on as they are.
template <auto Method, typename... Arguments>
int pass(sqlite3_file* file, Arguments... arguments) {
  sqlite3_file* const inner = File::of(file)->inner();
  return (inner->pMethods->*Method)(inner, arguments...);
}

void barrier(sqlite3_file* file) {
  sqlite3_file* const inner = File::of(file)->inner();
  inner->pMethods->xShmBarrier(inner);
}

constexpr sqlite3_io_methods kMethods = {
    .iVersion = 2,
    .xClose = pass<&sqlite3_io_methods::xClose>,
    .xRead = pass<&sqlite3_io_methods::xRead, void*, int, sqlite3_int64>,
    .xWrite = RecordingFiles::write,
    .xTruncate = RecordingFiles::truncate,
    .xSync = RecordingFiles::sync,
    .xFileSize = pass<&sqlite3_io_methods::xFileSize, sqlite3_int64*>,
    .xLock = pass<&sqlite3_io_methods::xLock, int>,
    .xUnlock = pass<&sqlite3_io_methods::xUnlock, int>,
    .xCheckReservedLock = pass<&sqlite3_io_methods::xCheckReservedLock, int*>,
    .xFileControl = pass<&sqlite3_io_methods::xFileControl, int, void*>,
    .xSectorSize = pass<&sqlite3_io_methods::xSectorSize>,
    .xDeviceCharacteristics = pass<&sqlite3_io_methods::xDeviceCharacteristics>,
    .xShmMap = pass<&sqlite3_io_methods::xShmMap, int, int, int, void volatile**>,
    .xShmLock = pass<&sqlite3_io_methods::xShmLock, int, int, int>,
    .xShmBarrier = barrier,
    .xShmUnmap = pass<&sqlite3_io_methods::xShmUnmap, int>,
    .xFetch = nullptr,
    .xUnfetch = nullptr,
};

int open(sqlite3_vfs* /*vfs*/, const char* path, sqlite3_file* file, int flags, int* out_flags) {
  auto* const f = new (file) File{};
  const std::string name = base_name(path);
  std::memcpy(f->name, name.data(), std::min(name.size(), sizeof f->name - 1));
  const int code = real->xOpen(real, path, f->inner(), flags, out_flags);
  if (f->inner()->pMethods != nullptr) f->base.pMethods = &kMethods;
  return code;
}

}  // namespace

DiskRecord& DiskRecord::install() {
  static DiskRecord the_record;
  record = &the_record;
  real = sqlite3_vfs_find(nullptr);
  static sqlite3_vfs recording = *real;
  recording.zName = "recording";
  recording.pNext = nullptr;
  recording.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
  recording.xOpen = open;
  recording.xDelete = RecordingFiles::remove;
  if (sqlite3_vfs_register(&recording, 1) != SQLITE_OK) std::abort();
  return the_record;
}

void DiskRecord::add_write(std::string file, std::int64_t offset, std::string bytes) {
  add({Kind::write, std::move(file), offset, std::move(bytes)});
}

void DiskRecord::acknowledge(std::int64_t number) { add({Kind::acknowledge, {}, number, {}}); }

DiskRecord::Image DiskRecord::power_failure(std::mt19937_64& random,
                                            const std::map<std::string, std::string>& start) const {
  constexpr std::size_t kSector = 512;
  const std::size_t moment = random() % (events_.size() + 1);
  std::map<std::string, std::size_t> last_sync;
  Image image{start, 0};
  for (std::size_t i = 0; i < moment; ++i) {
    if (events_[i].kind == Kind::sync) last_sync[events_[i].file] = i;
    if (events_[i].kind == Kind::acknowledge) image.acknowledged = events_[i].number;
  }
  const std::uint64_t kept_of_four = random() % 5;  // none, some, or all of what was not synced
  const auto survives = [&] { return random() % 4 < kept_of_four; };
  for (std::size_t i = 0; i < moment; ++i) {
    const Event& event = events_[i];
    const auto synced = last_sync.find(event.file);
    const bool durable = synced != last_sync.end() && i < synced->second;
    std::string& content = image.files[event.file];
    switch (event.kind) {
      case Kind::write:
        for (std::size_t from = 0; from < event.bytes.size(); from += kSector) {
          if (!durable && !survives()) continue;
          const std::size_t at = static_cast<std::size_t>(event.number) + from;
          const std::size_t size = std::min(kSector, event.bytes.size() - from);
          if (content.size() < at + size) content.resize(at + size);
          content.replace(at, size, event.bytes, from, size);
        }
        break;
      case Kind::truncate:
        if (durable || survives()) content.resize(static_cast<std::size_t>(event.number));
        break;
      case Kind::remove:
        if (survives()) content.clear();
        break;
      case Kind::sync:
      case Kind::acknowledge: break;
    }
  }
  image.files.erase("");
  return image;
}

}  // namespace scoreline::test
