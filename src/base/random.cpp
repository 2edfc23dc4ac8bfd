#include "base/random.h"

#include <bit>
#include <random>

namespace scoreline {

std::uint64_t Random::below(std::uint64_t bound) {
  // Lemire's multiply and shift; the few values that would bias it are drawn again.
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t threshold = (0 - bound) % bound;
  for (;;) {
    const Wide product = static_cast<Wide>(bits()) * bound;
    if (static_cast<std::uint64_t>(product) >= threshold) return static_cast<std::uint64_t>(product >> 64);
  }
}

SeededRandom::SeededRandom(std::uint64_t seed) {
  for (auto& word : state_) {
    seed += 0x9E37'79B9'7F4A'7C15;
    std::uint64_t z = seed;
    z = (z ^ (z >> 30)) * 0xBF58'476D'1CE4'E5B9;
    z = (z ^ (z >> 27)) * 0x94D0'49BB'1331'11EB;
    word = z ^ (z >> 31);
  }
}

std::uint64_t SeededRandom::bits() {
  const std::lock_guard lock(mutex_);
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

std::uint64_t system_seed() {
  std::random_device device;
  return (std::uint64_t{device()} << 32) | device();
}

}  // namespace scoreline
