// Random histories of a queue on a real server, step by step beside queues::Queue: the same answers and the same state,
// whatever the clock does.
#include <gtest/gtest.h>

#include <cstdlib>
#include <future>
#include <map>
#include <mutex>

#include "adapters/redis/redis_job_store.h"
#include "adapters/redis/url.h"
#include "queues/queue.h"
#include "support/redis_index.h"

namespace scoreline::queues {
namespace {

using std::chrono::milliseconds;

struct NoLedger final : Transitions {
  void record(const Transition&) override {}
};

/// A server whose clock is what a key says: scripts are sent with another word for TIME.
class ClientInVirtualTime final : public redis::Client {
 public:
  explicit ClientInVirtualTime(std::unique_ptr<redis::Client> client) : client_(std::move(client)) {}

  void set(Timestamp now) {
    const redis::Command command{
        "clock", {"MSET", "clock", std::to_string(now.ms / 1'000), "clock_us", std::to_string(now.ms % 1'000 * 1'000)}};
    SCORELINE_CHECK(client_->run(std::span(&command, 1)).has_value());
  }

  Result<std::vector<redis::Reply>> run(std::span<const redis::Command> commands) override {
    return client_->run(commands);
  }
  Result<std::vector<redis::Reply>> run(std::span<const redis::ScriptCall> calls) override {
    std::vector<redis::ScriptCall> changed(calls.begin(), calls.end());
    for (redis::ScriptCall& call : changed) call.script = &in_virtual_time(*call.script);
    return client_->run(std::span<const redis::ScriptCall>(changed));
  }
  Result<redis::ServerInfo> server_of(std::string_view key) override { return client_->server_of(key); }
  Result<std::unique_ptr<redis::Subscription>> subscribe(std::string_view channel) override {
    return client_->subscribe(channel);
  }
  void doubt_server_of(std::string_view key) override { client_->doubt_server_of(key); }

 private:
  struct Changed {
    explicit Changed(std::string with) : text(std::move(with)), script(text) {}
    const std::string text;
    const redis::Script script;
  };
  const redis::Script& in_virtual_time(const redis::Script& script) {
    const std::lock_guard lock(mutex_);
    auto& changed = scripts_[script.digest()];
    if (changed) return changed->script;
    std::string text(script.text());
    const std::string time = "redis.call('TIME')";
    if (const auto at = text.find(time); at != std::string::npos) {
      text.replace(at, time.size(), "redis.call('MGET', 'clock', 'clock_us')");
    }
    changed = std::make_unique<Changed>(std::move(text));
    return changed->script;
  }

  const std::unique_ptr<redis::Client> client_;
  std::mutex mutex_;
  std::map<std::string, std::unique_ptr<Changed>> scripts_;
};

std::vector<QueueOptions> settings() {
  QueueOptions plain;
  plain.max_attempts = 3;
  plain.backoff = milliseconds{0};  // chance is not the same on both sides
  plain.dead_for = milliseconds{2'000};
  QueueOptions keeping = plain;
  keeping.max_attempts = 2;
  keeping.crash_limit = 1;
  keeping.crash_backoff = milliseconds{100};
  keeping.dedup_for = milliseconds{200};
  keeping.max_dead = 5;
  QueueOptions aging = plain;
  aging.aging = milliseconds{50};
  aging.dead_for = milliseconds{300};
  QueueOptions limited = aging;
  limited.max_leased = 6;
  limited.reserved = 2;
  limited.reserved_for = 2;
  return {plain, keeping, aging, limited};
}

class History {
 public:
  History(const std::string& url, std::uint64_t seed, const QueueOptions& options)
      : random_(seed), model_(options, chance_, ledger_) {
    now_ = {Timestamp{1'790'000'000'000}, Monotonic{1'000'000'000}};
    client_ = std::make_unique<ClientInVirtualTime>(
        redis::open_client(redis::parse_url(url).value(), {}, clock_, chance_).value());
    client_->set(now_.wall);
    store_ =
        redis::RedisJobStore::open(*client_, {.key_prefix = "seed" + std::to_string(seed)}, clock_, chance_).value();
    SCORELINE_CHECK(ask<void>([&](auto done) { store_->set_options(name_, options, done); }).has_value());
  }

  void run(int steps) {
    for (int i = 0; i < steps && !testing::Test::HasFatalFailure(); ++i) {
      step();
      if (i % 8 == 0) compare();
    }
  }

 private:
  template <typename T, typename Call>
  Result<T> ask(Call call) {
    std::promise<Result<T>> answer;
    call([&](Result<T> result) { answer.set_value(std::move(result)); });
    return answer.get_future().get();
  }

  void pass(std::int64_t ms) {
    now_.wall.ms += ms;
    now_.steady = now_.steady + milliseconds{ms};
    client_->set(now_.wall);
  }

  void step() {
    switch (random_.below(12)) {
      case 0:
      case 1:
      case 2: return enqueue();
      case 3:
      case 4: return take();
      case 5: return ack();
      case 6: return nack();
      case 7: return give_back();
      case 8: return hand_over();
      case 9: return operate();
      default: return pass(static_cast<std::int64_t>(random_.below(40)));
    }
  }

  void enqueue() {
    std::vector<JobSpec> jobs(1 + random_.below(5));
    std::vector<NewJob> same;
    for (JobSpec& job : jobs) {
      job.id = "job-" + std::to_string(random_.below(60));
      job.payload = "of " + job.id;
      job.priority = static_cast<int>(random_.below(10));
      const auto at = static_cast<std::int64_t>(random_.below(300)) - 50;
      if (random_.below(2) == 0) job.run_at = Timestamp{now_.wall.ms + at};
      if (random_.below(4) == 0) job.max_attempts = static_cast<int>(1 + random_.below(3));
      same.push_back({job.id, job.payload, job.priority, job.run_at, job.max_attempts});
    }
    std::vector<Enqueued> expected(jobs.size());
    ASSERT_TRUE(model_.enqueue(same, expected, now_));
    const auto answers = ask<std::vector<EnqueueAnswer>>([&](auto done) { store_->enqueue(name_, jobs, done); });
    ASSERT_TRUE(answers) << answers.error().detail;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ASSERT_EQ((*answers)[i].id, jobs[i].id);
      ASSERT_EQ((*answers)[i].outcome, expected[i].outcome) << jobs[i].id;
      ASSERT_EQ((*answers)[i].state, expected[i].state) << jobs[i].id;
    }
  }

  void take() {
    const std::size_t max = 1 + random_.below(4);
    const milliseconds lease{1 + random_.below(150)};
    std::vector<StoredJob> expected;
    model_.take(max, lease, now_, [&](const JobRow& row) { expected.push_back(stored(row)); });
    const auto taken = ask<std::vector<StoredJob>>([&](auto done) {
      store_->take(name_, {max, lease, milliseconds{0}}, done);
    });
    ASSERT_TRUE(taken) << taken.error().detail;
    expect_same(*taken, expected, true);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      held_.push_back({expected[i].id, expected[i].receipt, (*taken)[i].receipt});
    }
  }

  struct Held {
    std::string id;
    Receipt of_model, of_store;
  };
  /// Of some lease, running or lost.
  std::optional<Held> some_held() {
    if (held_.empty()) return std::nullopt;
    return held_[held_.size() - 1 - random_.below(std::min<std::size_t>(held_.size(), 12))];
  }

  template <typename T, typename Call>
  void expect_answer(const Result<T>& expected, Call call) {
    const auto all = ask<std::vector<Result<T>>>(call);
    ASSERT_TRUE(all) << all.error().detail;
    const Result<T>& answer = all->front();
    ASSERT_EQ(answer.has_value(), expected.has_value());
    if constexpr (std::is_void_v<T>) {
      return;
    } else if (expected) {
      ASSERT_TRUE(*answer == *expected);
    }
  }

  void ack() {
    const auto held = some_held();
    if (!held) return;
    expect_answer<void>(model_.ack(held->id, held->of_model, now_), [&](auto done) {
      store_->ack(name_, {{held->id, held->of_store}}, done);
    });
  }

  void nack() {
    const auto held = some_held();
    if (!held) return;
    std::optional<milliseconds> delay;
    if (random_.below(2) == 0) delay = milliseconds{random_.below(100)};
    expect_answer<JobState>(model_.nack(held->id, held->of_model, delay, "why", now_), [&](auto done) {
      store_->nack(name_, {{held->id, held->of_store}}, delay, "why", done);
    });
  }

  void give_back() {
    const auto held = some_held();
    if (!held) return;
    if (random_.below(2) == 0) {
      const milliseconds lease{1 + random_.below(200)};
      return expect_answer<Timestamp>(model_.extend(held->id, held->of_model, lease, now_), [&](auto done) {
        store_->extend(name_, {{held->id, held->of_store}}, lease, done);
      });
    }
    std::optional<milliseconds> delay;
    if (random_.below(2) == 0) delay = milliseconds{random_.below(50)};
    expect_answer<JobState>(model_.release(held->id, held->of_model, delay, now_), [&](auto done) {
      store_->release(name_, {{held->id, held->of_store}}, delay, done);
    });
  }

  void hand_over() {
    const bool due = random_.below(2) == 0;
    std::optional<StoredJob> expected;
    const auto keep = [&](const JobRow& row) { expected = stored(row); };
    due ? model_.poll_due(now_, keep) : model_.poll(now_, keep);
    const auto polled = ask<std::optional<StoredJob>>(
        [&](auto done) { due ? store_->poll_due(name_, done) : store_->poll(name_, done); });
    ASSERT_TRUE(polled) << polled.error().detail;
    ASSERT_EQ(polled->has_value(), expected.has_value());
    if (expected) {
      ASSERT_EQ((*polled)->id, expected->id);
      ASSERT_EQ((*polled)->payload, expected->payload);
    }
  }

  void operate() {
    const std::string id = "job-" + std::to_string(random_.below(60));
    switch (random_.below(6)) {
      case 0: {
        const bool paused = random_.below(3) == 0;
        model_.set_paused(paused);
        ASSERT_TRUE(ask<void>([&](auto done) { store_->set_paused(name_, paused, done); }));
        return;
      }
      case 1:
        ASSERT_EQ(ask<bool>([&](auto done) { store_->remove(name_, id, done); }).value(), model_.remove(id));
        return;
      case 2: {
        const auto expected = model_.retry_dead(id, now_);
        const auto answer = ask<std::uint64_t>([&](auto done) { store_->retry_dead(name_, id, done); });
        ASSERT_EQ(answer.has_value(), expected.has_value());
        if (!expected) {
          ASSERT_EQ(answer.error().code, expected.error().code);
        }
        return;
      }
      case 3:
        if (random_.below(4) > 0) return;
        ASSERT_EQ(ask<std::uint64_t>([&](auto done) { store_->retry_dead(name_, {}, done); }).value(),
                  model_.retry_dead(1'000, now_));
        return;
      case 4: {
        if (random_.below(6) > 0) return;
        const auto state = static_cast<JobState>(random_.below(5));
        ASSERT_EQ(ask<std::uint64_t>([&](auto done) { store_->purge(name_, state, done); }).value(),
                  model_.purge(state, 10'000, now_));
        return;
      }
      default:  // the wall clock is set back; leases here go by it too, so that they end later by as much
        if (random_.below(4) == 0 && model_.stats(now_).leased == 0) {
          now_.wall.ms -= static_cast<std::int64_t>(random_.below(60));
          client_->set(now_.wall);
        }
    }
  }

  void expect_same(const std::vector<StoredJob>& are, const std::vector<StoredJob>& expected, bool with_payload) {
    ASSERT_EQ(are.size(), expected.size());
    for (std::size_t i = 0; i < are.size(); ++i) {
      const StoredJob &is = are[i], &should = expected[i];
      SCOPED_TRACE(should.id);
      ASSERT_EQ(is.id, should.id);
      ASSERT_EQ(is.sequence, should.sequence);
      ASSERT_EQ(is.state, should.state);
      ASSERT_EQ(is.priority, should.priority);
      ASSERT_EQ(is.cause, should.cause);
      ASSERT_EQ(is.max_attempts, should.max_attempts);
      ASSERT_EQ(is.failures, should.failures);
      ASSERT_EQ(is.crashes, should.crashes);
      ASSERT_EQ(is.lease_ms, should.lease_ms);
      ASSERT_EQ(is.run_at.ms, should.run_at.ms);
      ASSERT_EQ(is.until.ms, should.until.ms);
      ASSERT_EQ(is.receipt.bits != 0, should.receipt.bits != 0);
      ASSERT_EQ(is.reason, should.reason);
      if (with_payload) {
        ASSERT_EQ(is.payload, should.payload);
      }
    }
  }

  void compare() {
    model_.upkeep(now_, kUpkeepSteps);
    const auto stats = ask<QueueStats>([&](auto done) { store_->stats(name_, done); }).value();
    const QueueStats expected = model_.stats(now_);
    for (const auto member :
         {&QueueStats::ready, &QueueStats::delayed, &QueueStats::leased, &QueueStats::dead, &QueueStats::done,
          &QueueStats::enqueued, &QueueStats::duplicates, &QueueStats::taken, &QueueStats::acked, &QueueStats::nacked,
          &QueueStats::crashed, &QueueStats::died, &QueueStats::dead_evicted, &QueueStats::dead_expired}) {
      ASSERT_EQ(stats.*member, expected.*member);
    }
    ASSERT_EQ(stats.paused, expected.paused);
    for (const JobState state :
         {JobState::ready, JobState::delayed, JobState::leased, JobState::dead, JobState::done}) {
      SCOPED_TRACE(to_string(state));
      compare_list(state, 0, 100);
      compare_list(state, random_.below(20), 1 + random_.below(10));
    }
    const auto peeked = ask<std::optional<StoredJob>>([&](auto done) { store_->peek(name_, done); }).value();
    const auto next = model_.peek(now_);
    ASSERT_EQ(peeked ? peeked->id : "", next ? next->id : "");
    const std::string id = "job-" + std::to_string(random_.below(60));
    const auto position = ask<std::optional<JobPosition>>([&](auto done) { store_->position(name_, id, done); });
    const auto expected_position = model_.position(id, now_);
    ASSERT_EQ(position.value().has_value(), expected_position.has_value()) << id;
    if (expected_position) {
      ASSERT_EQ((*position)->ahead, expected_position->ahead) << id;
    }
  }

  void compare_list(JobState state, std::size_t first, std::size_t count) {
    std::vector<StoredJob> expected;
    model_.list(state, first, count, now_, [&](const JobRow& row) { expected.push_back(stored(row)); });
    const auto listed = ask<std::vector<StoredJob>>([&](auto done) {
      store_->list(name_, {state, first, count}, done);
    });
    ASSERT_TRUE(listed) << listed.error().detail;
    expect_same(*listed, expected, false);
  }

  const std::string name_ = "history";
  SeededRandom random_;
  SeededRandom chance_{1};
  SystemClock clock_;
  NoLedger ledger_;
  Queue model_;
  Instant now_;
  std::unique_ptr<ClientInVirtualTime> client_;
  std::unique_ptr<JobStore> store_;
  std::vector<Held> held_;
};

class RedisJobHistory : public testing::TestWithParam<test::Program> {
 protected:
  void SetUp() override { SKIP_UNLESS_INSTALLED(GetParam()); }
};
INSTANTIATE_TEST_SUITE_P(Servers, RedisJobHistory, testing::Values(test::Program::redis, test::Program::valkey),
                         testing::PrintToStringParamName());

TEST_P(RedisJobHistory, EveryAnswerIsThatOfTheStateMachine) {
  const test::RedisServer server(test::path_of(GetParam()));
  const bool is_long = std::getenv("SCORELINE_LONG") != nullptr;
  std::uint64_t seed = system_seed() >> 8;
  for (int round = 0; round < (is_long ? 100 : 3); ++round) {
    for (const QueueOptions& options : settings()) {
      SCOPED_TRACE(testing::Message() << "seed " << ++seed << ", aging " << options.aging.count() << ", dedup "
                                      << options.dedup_for.count() << ", leased " << options.max_leased);
      History("redis://127.0.0.1:" + std::to_string(server.port()), seed, options).run(500);
      if (HasFatalFailure()) return;
    }
  }
}

}  // namespace
}  // namespace scoreline::queues
