// The only source of randomness, so that a simulation can replay a run from its seed.
#pragma once

#include <cstdint>
#include <mutex>

namespace scoreline {

/// Thread-safe.
class Random {
 public:
  virtual ~Random() = default;
  /// 64 uniformly random bits.
  virtual std::uint64_t bits() = 0;
  /// Uniform in [0, bound); `bound` > 0.
  std::uint64_t below(std::uint64_t bound);
};

/// xoshiro256**, by David Blackman and Sebastiano Vigna (public domain), seeded through splitmix64.
class SeededRandom final : public Random {
 public:
  explicit SeededRandom(std::uint64_t seed);
  std::uint64_t bits() override;

 private:
  std::mutex mutex_;
  std::uint64_t state_[4];
};

/// A seed from the operating system.
std::uint64_t system_seed();

}  // namespace scoreline
