// queue_load KIND WHERE pairs|cycles BATCH JOBS: puts JOBS jobs through a queue; prints how many a second.
//
// KIND is http, beanstalkd, redis, store or library, see sessions.h. `pairs`: 8 producers put jobs in while 8 workers
// take and acknowledge them. `cycles`: each of 8 callers puts a batch in, takes one and acknowledges it, over and over.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "figures.h"
#include "queue/sessions.h"

namespace scoreline::bench {

std::string job_id(std::size_t number) { return fmt::format("job-{:012}", number); }

void give_up(const std::string& why) {
  std::fprintf(stderr, "queue_load: %s\n", why.c_str());
  std::_Exit(1);
}

namespace {

constexpr std::size_t kCallers = 8;

struct Load {
  std::size_t batch = 1;
  std::size_t jobs = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> done{0};

  /// False when all have been put in.
  bool put(Session& session) {
    const std::size_t first = next.fetch_add(batch);
    if (first >= jobs) return false;
    session.put(first, std::min(batch, jobs - first));
    return true;
  }
  /// False when all have been worked off.
  bool work(Session& session) {
    if (done >= jobs) return false;
    done += session.work(batch);
    return true;
  }
};

double jobs_per_second(const NewSession& connect, Load& load, bool pairs) {
  std::vector<std::unique_ptr<Session>> sessions;
  for (std::size_t i = 0; i < (pairs ? 2 : 1) * kCallers; ++i) sessions.push_back(connect());
  const double took = seconds([&] {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < sessions.size(); ++i) {
      threads.emplace_back([&, i] {
        Session& session = *sessions[i];
        if (!pairs) {
          while (load.put(session)) load.work(session);
          while (load.work(session)) continue;
        } else if (i % 2 == 0) {
          while (load.put(session)) continue;
        } else {
          while (load.work(session)) continue;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
  });
  return static_cast<double>(load.jobs) / took;
}

}  // namespace
}  // namespace scoreline::bench

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  if (argc != 6) give_up("usage: queue_load KIND WHERE pairs|cycles BATCH JOBS");
  const std::string kind = argv[1], where = argv[2];
  Load load;
  load.batch = static_cast<std::size_t>(std::atoll(argv[4]));
  load.jobs = static_cast<std::size_t>(std::atoll(argv[5]));
  NewSession connect = socket_sessions(kind, where);
  if (kind == "store") connect = redis_store_sessions(where);
  if (kind == "library") connect = library_sessions(where);
  if (!connect || load.batch == 0 || load.jobs == 0) give_up("no such kind, or nothing to do");
  std::printf("%.0f\n", jobs_per_second(connect, load, std::string(argv[3]) == "pairs"));
}
