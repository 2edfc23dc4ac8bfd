// Dead letters in memory, as the port says: the simplest that is right. They fail on command.
//
// Thread safety: any thread.
#pragma once

#include <algorithm>
#include <mutex>
#include <vector>

#include "ingest/dead_letters.h"

namespace scoreline::test {

class ModelDeadLetters final : public ingest::DeadLetters {
 public:
  Result<std::uint64_t> add(std::span<const ingest::DeadLetter> letters, Timestamp now) override {
    const std::lock_guard lock(mutex_);
    if (failures_ > 0) {
      --failures_;
      return fail(Code::storage_failed, "no letters now");
    }
    std::uint64_t added = 0;
    for (const auto& letter : letters) {
      const bool known = std::any_of(kept_.begin(), kept_.end(), [&](const ingest::StoredDeadLetter& stored) {
        return is_same(stored.letter.message, letter.message);
      });
      if (known) continue;
      kept_.push_back({next_++, now, letter});
      kept_.back().letter.reason = ingest::kept_reason(letter.reason);
      ++added;
    }
    return added;
  }
  Result<std::vector<ingest::StoredDeadLetter>> list(ingest::DeadLetterId after, std::size_t limit) const override {
    const std::lock_guard lock(mutex_);
    std::vector<ingest::StoredDeadLetter> page;
    for (const auto& stored : kept_) {
      if (stored.id > after && page.size() < limit) page.push_back(stored);
    }
    return page;
  }
  Result<std::optional<ingest::StoredDeadLetter>> find(ingest::DeadLetterId id) const override {
    const std::lock_guard lock(mutex_);
    for (const auto& stored : kept_) {
      if (stored.id == id) return stored;
    }
    return std::nullopt;
  }
  Result<std::uint64_t> count() const override {
    const std::lock_guard lock(mutex_);
    return kept_.size();
  }
  Result<void> refuse_again(std::span<const ingest::RefusedAgain> letters) override {
    const std::lock_guard lock(mutex_);
    ++refusals_;
    for (const auto& [id, reason] : letters) {
      for (auto& stored : kept_) {
        if (stored.id == id) stored.letter.reason = ingest::kept_reason(reason);
      }
    }
    return {};
  }
  Result<std::uint64_t> remove(std::span<const ingest::DeadLetterId> ids) override {
    const std::lock_guard lock(mutex_);
    return std::erase_if(kept_, [&](const ingest::StoredDeadLetter& stored) {
      return std::find(ids.begin(), ids.end(), stored.id) != ids.end();
    });
  }

  /// Calls of `refuse_again`: a commit each.
  int refusals() const {
    const std::lock_guard lock(mutex_);
    return refusals_;
  }
  void fail_next(int times) {
    const std::lock_guard lock(mutex_);
    failures_ = times;
  }

 private:
  static bool is_same(const ingest::Message& a, const ingest::Message& b) {
    return a.from == b.from && a.offset == b.offset && a.sent_at == b.sent_at;
  }

  mutable std::mutex mutex_;
  std::vector<ingest::StoredDeadLetter> kept_;
  ingest::DeadLetterId next_ = 1;
  int failures_ = 0;
  int refusals_ = 0;
};

}  // namespace scoreline::test
