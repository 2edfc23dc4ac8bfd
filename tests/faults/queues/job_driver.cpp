// A process that keeps jobs and tells what it was answered, for tests that kill it or let its disk fail.
//
//   job_driver work FOLDER FIRST SECONDS [BALLAST]
//       Threads enqueue (ids from FIRST on), take, and end what they took. Before each call a line `try WORD ID`, after
//       it `did WORD ID` or `fail WORD ID CODE`. WORD: put, ack. Taken jobs: `got ID`. With storage_full BALLAST is
//       deleted. In the end a line `over`.
//   job_driver check FOLDER
//       One line for each job that is there: `has ID STATE`; then `leased ID RECEIPT`, and it acks each of them by the
//       receipt that the ledger had.
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <future>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/sqlite/sqlite_job_ledger.h"
#include "queues/embedded_job_store.h"

namespace scoreline::queues {
namespace {

constexpr const char* kQueue = "mail";

/// At once and whole, whatever happens to the process next.
void say(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(STDOUT_FILENO, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::_Exit(1);
}

template <typename T, typename Call>
Result<T> ask(Call call) {
  std::promise<Result<T>> promise;
  call([&](Result<T> result) { promise.set_value(std::move(result)); });
  return promise.get_future().get();
}

int give_up(const Error& error) {
  fmt::print(stderr, "{} {}\n", traits(error.code).name, error.detail);
  return traits(error.code).exit_code;
}

class Work {
 public:
  Work(EmbeddedJobStore& store, std::uint64_t first, std::string ballast)
      : store_(store), next_(first), ballast_(std::move(ballast)) {}

  void run(std::chrono::milliseconds span) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([this] {
        while (!over_) put();
      });
      threads.emplace_back([this] {
        while (!over_) take();
      });
    }
    std::this_thread::sleep_for(span);
    over_ = true;
    for (std::thread& thread : threads) thread.join();
    say("over");
  }

 private:
  void tell(std::string_view word, const std::string& id, const std::optional<Error>& error) {
    if (!error) return say(fmt::format("did {} {}", word, id));
    say(fmt::format("fail {} {} {}", word, id, traits(error->code).name));
    if (error->code == Code::storage_full && !ballast_.empty()) std::filesystem::remove(ballast_);
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  void put() {
    JobSpec job;
    job.id = std::to_string(next_++);
    job.payload.assign(300, 'p');
    const std::string id = job.id;
    say("try put " + id);
    const auto put = ask<std::vector<EnqueueAnswer>>([&](auto done) { store_.enqueue(kQueue, {job}, done); });
    tell("put", id, put ? std::nullopt : std::optional(put.error()));
  }
  void take() {
    const TakeSpec spec{2, std::chrono::minutes{10}, std::chrono::milliseconds{20}};
    const auto jobs = ask<std::vector<StoredJob>>([&](auto done) { store_.take(kQueue, spec, done); });
    if (!jobs) std::this_thread::sleep_for(std::chrono::milliseconds{5});
    for (std::size_t i = 0; jobs && i < jobs->size(); ++i) {
      const StoredJob& job = (*jobs)[i];
      say("got " + job.id);
      if (std::stoull(job.id) % 4 == 0) continue;  // its worker is lost
      say("try ack " + job.id);
      const auto acked = ask<std::vector<Result<void>>>([&](auto done) {
        store_.ack(kQueue, {{job.id, job.receipt}}, done);
      });
      std::optional<Error> error;
      if (!acked) error = acked.error();
      if (acked && !acked->at(0)) error = acked->at(0).error();
      tell("ack", job.id, error);
    }
  }

  EmbeddedJobStore& store_;
  std::atomic<std::uint64_t> next_;
  const std::string ballast_;
  std::atomic<bool> over_{false};
};

int check(EmbeddedJobStore& store) {
  for (const JobState state : {JobState::ready, JobState::delayed, JobState::leased, JobState::dead}) {
    std::vector<StoredJob> all;
    while (true) {
      const ListSpec spec{state, all.size(), kMaxJobs};
      const auto page = ask<std::vector<StoredJob>>([&](auto done) { store.list(kQueue, spec, done); });
      if (!page) return page.error().code == Code::not_found ? 0 : give_up(page.error());
      if (page->empty()) break;
      all.insert(all.end(), page->begin(), page->end());
    }
    for (const StoredJob& job : all) say(fmt::format("has {} {}", job.id, to_string(state)));
    for (std::size_t i = 0; state == JobState::leased && i < all.size(); ++i) {
      const auto acked = ask<std::vector<Result<void>>>([&](auto done) {
        store.ack(kQueue, {{all[i].id, all[i].receipt}}, done);
      });
      if (!acked || !acked->at(0)) say("lost " + all[i].id);
    }
  }
  return 0;
}

int run(int argc, char** argv) {
  if (argc < 3) return 64;
  std::signal(SIGXFSZ, SIG_IGN);
  auto ledger = sqlite::SqliteJobLedger::open(argv[2]);
  if (!ledger) return give_up(ledger.error());
  const SystemClock clock;
  SeededRandom random(system_seed());
  auto store = EmbeddedJobStore::open(ledger->get(), clock, random);
  if (!store) return give_up(store.error());
  if (std::string_view(argv[1]) == "check") return check(**store);
  if (argc < 5) return 64;
  const std::chrono::milliseconds span{static_cast<std::int64_t>(std::stod(argv[4]) * 1'000)};
  Work(**store, std::stoull(argv[3]), argc > 5 ? argv[5] : "").run(span);
  if (const auto trouble = (*store)->trouble()) say(fmt::format("trouble {}", traits(trouble->code).name));
  return 0;
}

}  // namespace
}  // namespace scoreline::queues

int main(int argc, char** argv) { return scoreline::queues::run(argc, argv); }
