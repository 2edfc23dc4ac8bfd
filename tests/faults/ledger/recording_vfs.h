// A file system for SQLite that remembers, in order, all that would have to survive a power failure, and that never
// really syncs. From its record a test rebuilds what a disk may hold after the power went at any moment.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace scoreline::test {

class DiskRecord {
 public:
  /// Makes the recording file system SQLite's default one. Once a process.
  static DiskRecord& install();

  /// Records from now on, and forgets what it had.
  void start() {
    events_.clear();
    recording_ = true;
  }
  void stop() { recording_ = false; }
  /// A write by others than SQLite, never synced.
  void add_write(std::string file, std::int64_t offset, std::string bytes);
  /// All before this moment was acknowledged: `number` says what.
  void acknowledge(std::int64_t number);

  struct Image {
    std::map<std::string, std::string> files;  ///< by name without folder
    std::int64_t acknowledged = 0;             ///< the last number before the power went
  };
  /// What the disk may hold when the power goes at a moment chosen by `random`. Writes before a file's last sync are
  /// there; of those after it each 512-byte sector is there or not, by chance.
  Image power_failure(std::mt19937_64& random, const std::map<std::string, std::string>& start) const;

 private:
  friend class RecordingFiles;
  enum class Kind : std::uint8_t { write, truncate, sync, remove, acknowledge };
  struct Event {
    Kind kind;
    std::string file;
    std::int64_t number = 0;  ///< offset, new size, or what was acknowledged
    std::string bytes;
  };
  void add(Event event) {
    if (recording_) events_.push_back(std::move(event));
  }
  bool recording_ = false;
  std::vector<Event> events_;
};

}  // namespace scoreline::test
