// A server without room, and one that would throw jobs away to make some.
#include "faults/redis_jobs/job_store_fixture.h"

namespace scoreline::test {
namespace {

class JobMemory : public JobFaults {};
JOBS_ON_BOTH_SERVERS(JobMemory);

TEST_P(JobMemory, AFullServerTakesNothingInAndLetsJobsBeWorkedOff) {
  start();
  JobProcess process(server_->port());
  for (const char* const id : {"a", "b", "c", "d"}) ASSERT_TRUE(process.push(id));
  const StoredJob held = only(process.take(), "a");
  only(process.take(milliseconds{1}), "b");  // lost: so that a call has something to do in passing
  std::this_thread::sleep_for(milliseconds{5});
  ASSERT_EQ(admin("CONFIG SET maxmemory 1"), "OK");
  std::vector<JobSpec> batch(3);
  batch[0].id = "x";
  const auto refused =
      process.ask<std::vector<EnqueueAnswer>>([&](auto done) { process.store().enqueue("mail", batch, done); });
  EXPECT_EQ(code_of(refused), Code::storage_full);
  EXPECT_TRUE(refused.error().retry_after);
  EXPECT_EQ(code_of(process.push("new")), Code::storage_full);
  const QueueStats stats = process.stats();
  EXPECT_EQ(stats.ready + stats.delayed + stats.leased, 4u) << "nothing of the batch is there";
  EXPECT_EQ(stats.enqueued, 4u);
  const auto extended = process.ask<std::vector<Result<Timestamp>>>([&](auto done) {
    process.store().extend("mail", {HeldJob{held.id, held.receipt}}, milliseconds{60'000}, done);
  });
  ASSERT_TRUE(extended) << extended.error().detail;
  EXPECT_TRUE(extended->front());
  EXPECT_TRUE(process.ack(held));
  EXPECT_TRUE(process.give_back(only(process.take(), "c")));
  for (const char* const id : {"c", "d", "b"}) EXPECT_TRUE(process.ack(only(process.take(), id)));
  ASSERT_EQ(admin("CONFIG SET maxmemory 0"), "OK");
  EXPECT_TRUE(process.push("new"));
  EXPECT_TRUE(process.ack(only(process.take(), "new")));
}

TEST_P(JobMemory, AnEvictingServerIsRefusedAtTheStartAndLaterBeforeAnythingIsPutIn) {
  start({"--maxmemory-policy", "allkeys-lru"});
  const SystemClock clock;
  SeededRandom random(1);
  const auto url = redis::parse_url("redis://127.0.0.1:" + std::to_string(server_->port())).value();
  const auto client = redis::open_client(url, {}, clock, random).value();
  const auto opened = redis::RedisJobStore::open(*client, {}, clock, random);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::usage);
  EXPECT_THAT(opened.error().detail, testing::HasSubstr("CONFIG SET maxmemory-policy noeviction"));
  ASSERT_EQ(admin("CONFIG SET maxmemory-policy noeviction"), "OK");
  JobProcess process(server_->port());
  ASSERT_TRUE(process.push("a"));
  ASSERT_EQ(admin("CONFIG SET maxmemory-policy allkeys-lru"), "OK");
  admin("CLIENT KILL TYPE normal");  // a connection that is made now sees it
  ASSERT_TRUE(eventually([&] { return code_of(process.push("b")) == Code::not_ready; }));
}

TEST_P(JobMemory, NothingIsLeftOfJobsThatAreDone) {
  start();
  JobProcess process(server_->port());
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(process.push("job-" + std::to_string(i)));
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(process.ack(process.take()->front()));
  EXPECT_EQ(admin("DBSIZE"), "2") << "the queue itself, and its name";
}

TEST_P(JobMemory, OptionsShowWhatTheServerPromises) {
  const std::pair<std::vector<std::string>, queues::Durability> promises[] = {
      {{}, queues::Durability::memory},
      {{"--appendonly", "yes"}, queues::Durability::os},
      {{"--appendonly", "yes", "--appendfsync", "always"}, queues::Durability::disk}};
  for (const auto& [settings, promise] : promises) {
    start(settings);
    JobProcess process(server_->port());
    ASSERT_TRUE(process.push("a"));
    const auto options =
        process.ask<QueueOptions>([&](auto done) { process.store().options("mail", std::move(done)); });
    ASSERT_TRUE(options);
    EXPECT_EQ(to_string(options->durability), to_string(promise));
  }
}

}  // namespace
}  // namespace scoreline::test
