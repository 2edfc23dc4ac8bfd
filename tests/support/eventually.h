// Waiting for what another thread or process does.
#pragma once

#include <chrono>
#include <thread>

namespace scoreline::test {

/// Tries until it is so, at most thirty seconds.
template <typename Condition>
bool eventually(Condition condition) {
  for (int tries = 0; tries < 3'000; ++tries) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds{10});
  }
  return false;
}

}  // namespace scoreline::test
