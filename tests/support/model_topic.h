// A topic in memory with groups of consumers, for tests of what reads one: it gives partitions away, goes away and
// comes back on command.
#pragma once

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "ingest/message_source.h"

namespace scoreline::test {

/// Thread-safe.
class ModelTopic {
 public:
  explicit ModelTopic(std::int32_t partitions = 1) : logs_(static_cast<std::size_t>(partitions)) {}

  ingest::TopicPartition partition(std::int32_t number) const { return {"match-results", number}; }

  /// Returns its offset.
  std::int64_t send(std::int32_t partition, std::optional<std::string> value,
                    std::optional<Timestamp> sent_at = Timestamp{1'791'828'000'000}) {
    const std::lock_guard lock(mutex_);
    auto& log = logs_.at(static_cast<std::size_t>(partition));
    log.push_back({this->partition(partition), static_cast<std::int64_t>(log.size()), sent_at, std::move(value)});
    return log.back().offset;
  }

  std::int64_t committed(const std::string& group, std::int32_t number) const {
    const std::lock_guard lock(mutex_);
    const auto known = groups_.find(group);
    if (known == groups_.end()) return 0;
    const auto at = known->second.find(partition(number));
    return at == known->second.end() ? 0 : at->second;
  }

  void refuse_commits(bool refuse) {
    const std::lock_guard lock(mutex_);
    refuses_commits_ = refuse;
  }

  class Source;
  Source source(std::string group);

 private:
  mutable std::mutex mutex_;
  std::vector<std::vector<ingest::Message>> logs_;
  std::map<std::string, ingest::Offsets> groups_;
  bool refuses_commits_ = false;
};

/// Has all partitions of its topic from the first poll on, beginning at what the group has committed.
class ModelTopic::Source final : public ingest::MessageSource {
 public:
  Source(ModelTopic& topic, std::string group) : topic_(topic), group_(std::move(group)) {}

  Result<std::vector<ingest::Message>> poll(std::size_t limit, std::chrono::milliseconds at_most,
                                            const OnRevoked& revoked) override {
    ++polls_;
    if (const auto going = take_revoked(); !going.empty()) {
      revoked(going);
      const std::lock_guard lock(topic_.mutex_);
      next_.clear();  // another consumer had them; they come back at once
    }
    auto messages = paused_ ? std::vector<ingest::Message>() : read(limit);
    // A real one waits on the network.
    if (messages.empty()) std::this_thread::sleep_for(std::min(at_most, std::chrono::milliseconds{2}));
    return messages;
  }
  void pause() override { paused_ = true; }
  void resume() override { paused_ = false; }

  Result<void> commit(const ingest::Offsets& next) override {
    const std::lock_guard lock(topic_.mutex_);
    if (topic_.refuses_commits_) return fail(Code::not_ready, "the coordinator is away");
    for (const auto& [partition, offset] : next) topic_.groups_[group_][partition] = offset;
    return {};
  }
  Result<ingest::Offsets> committed(std::span<const ingest::TopicPartition> partitions) const override {
    const std::lock_guard lock(topic_.mutex_);
    ingest::Offsets known;
    const auto group = topic_.groups_.find(group_);
    if (group == topic_.groups_.end()) return known;
    for (const auto& partition : partitions) {
      if (const auto at = group->second.find(partition); at != group->second.end()) known.insert(*at);
    }
    return known;
  }
  std::vector<ingest::PartitionState> partitions() const override {
    const std::lock_guard lock(topic_.mutex_);
    std::vector<ingest::PartitionState> states;
    for (const auto& [partition, next] : next_) {
      const auto& log = topic_.logs_[static_cast<std::size_t>(partition.partition)];
      states.push_back({partition, next, static_cast<std::int64_t>(log.size()), std::nullopt});
    }
    return states;
  }

  /// Another consumer takes all partitions within the next poll, and gives them back.
  void revoke() { revoking_ = true; }
  bool is_paused() const { return paused_; }
  std::size_t polls() const { return polls_; }

 private:
  std::vector<ingest::TopicPartition> take_revoked() {
    std::vector<ingest::TopicPartition> going;
    if (!revoking_.exchange(false)) return going;
    for (std::size_t i = 0; i < topic_.logs_.size(); ++i)
      going.push_back(topic_.partition(static_cast<std::int32_t>(i)));
    return going;
  }

  std::vector<ingest::Message> read(std::size_t limit) {
    const std::lock_guard lock(topic_.mutex_);
    std::vector<ingest::Message> messages;
    for (std::size_t i = 0; i < topic_.logs_.size(); ++i) {
      const auto partition = topic_.partition(static_cast<std::int32_t>(i));
      const auto [at, is_new] = next_.try_emplace(partition, 0);
      if (is_new) at->second = topic_.groups_[group_][partition];
      const auto& log = topic_.logs_[i];
      while (messages.size() < limit && at->second < static_cast<std::int64_t>(log.size())) {
        messages.push_back(log[static_cast<std::size_t>(at->second++)]);
      }
    }
    return messages;
  }

  ModelTopic& topic_;
  const std::string group_;
  ingest::Offsets next_;
  std::atomic<bool> revoking_{false};
  std::atomic<bool> paused_{false};
  std::atomic<std::size_t> polls_{0};
};

inline ModelTopic::Source ModelTopic::source(std::string group) { return Source(*this, std::move(group)); }

}  // namespace scoreline::test
