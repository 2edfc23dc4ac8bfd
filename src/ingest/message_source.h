// Port: results as messages of a partitioned topic, each partition in order; any message may come again.
//
// Thread safety: one thread polls, pauses, resumes and commits; `committed` and `partitions` may be called from any.
#pragma once

#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"

namespace scoreline::ingest {

struct TopicPartition {
  std::string topic;
  std::int32_t partition = 0;
  friend auto operator<=>(const TopicPartition&, const TopicPartition&) = default;
};

struct Message {
  TopicPartition from;
  std::int64_t offset = 0;
  std::optional<Timestamp> sent_at;  ///< as the producer or the broker stamped it
  std::optional<std::string> value;  ///< nullopt: a null value
};

/// For each partition the offset of the message that comes next.
using Offsets = std::map<TopicPartition, std::int64_t>;

/// How far an assigned partition is read.
struct PartitionState {
  TopicPartition partition;
  std::int64_t next = 0;               ///< offset of the message that `poll` hands out next
  std::optional<std::int64_t> end;     ///< one past the last message, as the broker last said
  std::optional<std::string> stopped;  ///< why nothing more is read of it until a restart: its offset is out of range
};

class MessageSource {
 public:
  /// Leaves the group at once; what is not committed comes again.
  virtual ~MessageSource() = default;

  /// Called within `poll`, when partitions go to another consumer: the last moment to commit what was read of them.
  using OnRevoked = std::function<void(const std::vector<TopicPartition>&)>;

  /// Hands out up to `limit` messages (1..kMaxBatch): waits up to `at_most` for them all. Must be called at least every
  /// few seconds, or the partitions go to another consumer. Errors: those that only an operator cures, rights and
  /// logins, after which it may be called on; a broker that is away is none: no messages come until it is back.
  virtual Result<std::vector<Message>> poll(std::size_t limit, std::chrono::milliseconds at_most,
                                            const OnRevoked& revoked) = 0;

  /// No partition hands out messages until `resume`, those assigned meanwhile neither. `poll` goes on.
  virtual void pause() = 0;
  virtual void resume() = 0;

  /// After a restart, or for another consumer of the group, each partition goes on there. Waits for the broker's answer
  /// for a bounded time. An error is no loss: the messages come again.
  virtual Result<void> commit(const Offsets& next) = 0;

  /// What the group has committed of these partitions, whoever reads them; nothing of a partition without a commit.
  virtual Result<Offsets> committed(std::span<const TopicPartition> partitions) const = 0;

  /// Of the partitions assigned now.
  virtual std::vector<PartitionState> partitions() const = 0;
};

}  // namespace scoreline::ingest
