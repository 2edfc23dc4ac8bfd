// What a queue costs in the library, on one thread, without a ledger: `bench_queue`.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "queues/queue.h"

namespace scoreline::queues {
namespace {

const SystemClock kClock;
constexpr std::chrono::milliseconds kLease{30'000};

struct NoLedger final : Transitions {
  void record(const Transition& transition) override { rows += transition.row.sequence != 0; }
  std::uint64_t rows = 0;
};

double seconds_since(Monotonic begin) { return std::chrono::duration<double>(kClock.monotonic() - begin).count(); }

class Bench {
 public:
  void fill(std::size_t jobs, std::optional<Timestamp> run_at = std::nullopt) {
    for (std::size_t i = 0; i < jobs; ++i) enqueue(run_at);
  }

  void enqueue(std::optional<Timestamp> run_at = std::nullopt) {
    char id[24];
    const auto end = fmt::format_to(id, "job-{:012}", number_++);
    const NewJob job{
        {id, static_cast<std::size_t>(end - id)}, "0123456789", static_cast<int>(number_ % 10), run_at, {}};
    Enqueued answer;
    static_cast<void>(queue_.enqueue({&job, 1}, {&answer, 1}, instant_of(kClock)));
  }

  /// Takes and acks one; how long the take alone took.
  std::chrono::nanoseconds work() {
    const Instant now = instant_of(kClock);
    Receipt receipt;
    queue_.take(1, kLease, now, [&](const JobRow& row) {
      id_.assign(row.id);
      receipt = row.receipt;
    });
    const auto took = kClock.monotonic() - now.steady;
    static_cast<void>(queue_.ack(id_, receipt, now));
    return took;
  }

  void cycles(std::size_t waiting) {
    fill(waiting);
    constexpr std::size_t kCycles = 2'000'000;
    std::vector<std::chrono::nanoseconds> takes;
    takes.reserve(kCycles);
    const Monotonic begin = kClock.monotonic();
    for (std::size_t i = 0; i < kCycles; ++i) {
      enqueue();
      takes.push_back(work());
    }
    const double seconds = seconds_since(begin);
    std::sort(takes.begin(), takes.end());
    fmt::print("{:>9} ready: {:>9.0f} enqueue+take+ack/s, take p50 {} ns, p99 {} ns\n", waiting, kCycles / seconds,
               takes[kCycles / 2].count(), takes[kCycles / 100 * 99].count());
  }

  void due_at_once(std::size_t jobs) {
    const Timestamp due{kClock.now().ms + 3'600'000};
    fill(jobs, due);
    Instant later = instant_of(kClock);
    later.wall = due;
    const Monotonic begin = kClock.monotonic();
    const std::size_t first = queue_.take(1, kLease, later, [](const JobRow&) {});
    const double to_first = seconds_since(begin);
    const std::size_t rest = queue_.take(jobs, kLease, later, [](const JobRow&) {});
    fmt::print("{:>9} due at once: first out after {:.3f} ms, all {} after {:.0f} ms\n", jobs, to_first * 1e3,
               first + rest, seconds_since(begin) * 1e3);
  }

  void memory(std::size_t jobs) {
    fill(jobs);
    const auto bytes = static_cast<double>(queue_.memory_bytes()) / static_cast<double>(jobs);
    fmt::print("{:>9} ready: {:.0f} bytes a job beyond id and payload\n", jobs, bytes - 26);
    const Monotonic begin = kClock.monotonic();
    const auto position = queue_.position(fmt::format("job-{:012}", number_ - 1), instant_of(kClock));
    fmt::print("{:>9} ready: the position of a job, {}, in {:.1f} us\n", jobs, position ? position->ahead : 0,
               seconds_since(begin) * 1e6);
  }

 private:
  SeededRandom random_{1};
  NoLedger ledger_;
  Queue queue_{QueueOptions{}, random_, ledger_};
  std::uint64_t number_ = 0;
  std::string id_;
};

}  // namespace
}  // namespace scoreline::queues

int main() {
  using scoreline::queues::Bench;
  for (const std::size_t waiting : {0, 1'000, 1'000'000}) Bench{}.cycles(waiting);
  Bench{}.due_at_once(1'000'000);
  Bench{}.memory(1'000'000);
}
