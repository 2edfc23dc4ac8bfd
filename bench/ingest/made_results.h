// Results made up for measuring: some players a match (four unless told otherwise), out of 100,000; match ids random
// (v4) or in order of time (v7). bench/ingest_http makes the same.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "base/uuid.h"
#include "leaderboards/values.h"

namespace scoreline::bench {

enum class Ids { v4, v7 };

class MadeResults {
 public:
  /// `players_per_match`: so many results in a row are of one match; 1 or more.
  explicit MadeResults(Ids ids, std::uint64_t players_per_match = 4)
      : ids_(ids), players_per_match_(players_per_match) {}

  std::vector<leaderboards::MatchResult> next(std::size_t count) {
    std::vector<leaderboards::MatchResult> batch;
    batch.reserve(count);
    for (std::size_t i = 0; i < count; ++i, ++made_) {
      const Timestamp at{1'796'193'000'000 + static_cast<std::int64_t>(made_)};
      if (made_ % players_per_match_ == 0) match_ = ids_ == Ids::v7 ? new_uuid_v7(at, random_) : random_uuid();
      batch.push_back({leaderboards::LeaderboardName::trusted("main"),
                       match_,
                       leaderboards::PlayerId::trusted(fmt::format("player-{:08}", random_.below(kPlayers))),
                       {1},
                       static_cast<std::int64_t>(random_.below(kPoints)),
                       at});
    }
    return batch;
  }

 private:
  static constexpr std::uint64_t kPlayers = 100'000;
  static constexpr std::uint64_t kPoints = 2'000'000;

  Uuid random_uuid() {
    Uuid uuid = new_uuid_v7(Timestamp{static_cast<std::int64_t>(random_.bits() >> 16)}, random_);
    uuid.bytes[6] = static_cast<std::uint8_t>((uuid.bytes[6] & 0x0F) | 0x40);
    return uuid;
  }

  Ids ids_;
  std::uint64_t players_per_match_;
  SeededRandom random_{1};
  Uuid match_;
  std::uint64_t made_ = 0;
};

}  // namespace scoreline::bench
