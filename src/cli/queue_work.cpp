#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

#include "cli/commands.h"
#include "cli/queue_worker.h"

namespace scoreline::cli {
namespace {

constexpr std::chrono::milliseconds kLook{100};

}  // namespace

Result<int> run_queue_work(const QueueWorkCommand& command, Context& context) {
  std::vector<std::unique_ptr<Answerer>> answerers;
  auto first = context.open_answerer();
  if (!first) return fail(std::move(first.error()));
  answerers.push_back(*std::move(first));
  while (answerers.size() < command.concurrency) {
    auto next = answerers.front()->another();
    if (!next) return fail(std::move(next.error()));
    answerers.push_back(*std::move(next));
  }
  Shift shift(command, context);
  std::atomic<std::size_t> at_work{command.concurrency};
  std::vector<std::thread> threads;
  for (const auto& answerer : answerers) {
    threads.emplace_back([&shift, &at_work, &answerer] {
      QueueWorker(shift, *answerer).run();
      --at_work;
    });
  }
  while (at_work > 0) {
    if (!context.told_to_stop(kLook)) continue;
    shift.stop = shift.stop == Shift::Stop::no ? Shift::Stop::drain : Shift::Stop::drop;
  }
  for (std::thread& thread : threads) thread.join();
  context.out << fmt::format(fmt::runtime(context.json ? R"({{"done":{},"failed":{},"givenBack":{},"lost":{}}})"
                                                         "\n"
                                                       : "{} done, {} failed, {} given back, {} lost\n"),
                             shift.done.load(), shift.failed.load(), shift.given_back.load(), shift.lost.load());
  if (shift.end) return fail(*std::move(shift.end));
  return 0;
}

}  // namespace scoreline::cli
