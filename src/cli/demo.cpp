#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/made_up_season.h"

namespace scoreline::cli {
namespace {

constexpr std::size_t kPlayers = 320;
constexpr int kMatchesBefore = 400;  // so that the first look meets a season that is under way
constexpr std::chrono::milliseconds kTick{100};

/// Plays matches at a steady pace on a thread of its own until it goes away.
class Players {
 public:
  Players(MadeUpSeason& season, ingest::Pipeline& pipeline, std::int64_t rate)
      : season_(season), pipeline_(pipeline), rate_(rate), thread_([this] { play(); }) {}
  ~Players() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Players(const Players&) = delete;
  Players& operator=(const Players&) = delete;

 private:
  void play() {
    double due = 0;  // results that should have been played by now
    std::unique_lock lock(mutex_);
    while (!changed_.wait_for(lock, kTick, [this] { return stop_; })) {
      due += static_cast<double>(rate_) * std::chrono::duration<double>(kTick).count();
      while (due >= 1 && !stop_) {
        auto match = season_.next_match();
        due -= static_cast<double>(match.size());
        lock.unlock();
        // A made-up match that is not taken (a full disk) is no loss: the next tick plays another.
        static_cast<void>(pipeline_.submit(std::move(match), leaderboards::Ranks::skip));
        lock.lock();
      }
    }
  }

  MadeUpSeason& season_;
  ingest::Pipeline& pipeline_;
  std::int64_t rate_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace

Result<int> run_demo(const DemoCommand& command, Context& context) {
  if (context.remote) return fail(Code::usage, "the demo serves itself: leave --server away", "server");
  auto node = context.start_node();
  if (!node) return fail(std::move(node.error()));
  const auto ready = (*node)->wait_ready();
  if (!ready) return fail(ready.error());
  if (!*ready) return 0;
  SeededRandom random(command.seed.value_or(context.random.bits()));
  MadeUpSeason season(context.clock, random, {.players = kPlayers});
  std::vector<ingest::Submission> before;
  for (int i = 0; i < kMatchesBefore; ++i) {
    for (auto& result : season.next_match()) before.push_back(std::move(result));
  }
  if (auto played = (*node)->pipeline().submit(std::move(before), leaderboards::Ranks::skip); !played) {
    return fail(std::move(played.error()));
  }
  context.out << "listening on " << (*node)->url() << "\nready\n"
              << "a made-up season is under way: open " << (*node)->url() << "/ in a browser, stop with Ctrl-C"
              << std::endl;
  Result<void> stopped;
  {
    const Players players(season, (*node)->pipeline(), command.rate);
    stopped = (*node)->wait_stopped();
  }
  if (!stopped) return fail(std::move(stopped.error()));
  return 0;
}

}  // namespace scoreline::cli
