// A server without room, and one that throws boards away to make some.
#include "faults/redis/index_fixture.h"

namespace scoreline::test {
namespace {

class Memory : public IndexFaults {
 protected:
  Result<std::unique_ptr<redis::RedisRankIndex>> open_index() {
    return redis::RedisRankIndex::open(*node_->client, kOptions, node_->clock, node_->random);
  }
};
ON_EVERY_SERVER(Memory);

TEST_P(Memory, AFullServerRefusesWritesWholeStaysReadableAndTakesThemWhenThereIsRoom) {
  load_some();
  const ModelBoard before = ledger_;
  ASSERT_EQ(admin("CONFIG SET maxmemory 1"), "OK");
  const std::vector<Offer> offers = {offer("p0", 50), offer("new", 60)};
  const auto refused = index().apply(board_, offers, Ranks::tell);
  expect_unavailable(refused);
  EXPECT_EQ(code_of(refused), Code::storage_full);
  expect_as_ledger(index(), board_, before);
  expect_as_ledger(other(), board_, before);
  ASSERT_EQ(admin("CONFIG SET maxmemory 0"), "OK");
  for (const Offer& each : offers) EXPECT_TRUE(submit(index(), each.player.text(), each.standing.points).value());
  expect_right();
  must(reload(index(), board_, ledger_));
  expect_right();
}

TEST_P(Memory, ALoadThatTheServerHasNoRoomForLeavesTheBoardAndIsTakenUpAgain) {
  load_some();
  const ModelBoard before = ledger_;
  must(index().begin_load(board_));
  ASSERT_EQ(admin("CONFIG SET maxmemory 1"), "OK");
  expect_unavailable(submit(other(), "late", 70));
  expect_unavailable(finish_load(index(), board_, ledger_));
  expect_as_ledger(other(), board_, before);
  ASSERT_EQ(admin("CONFIG SET maxmemory 0"), "OK");
  must(reload(index(), board_, ledger_));
  expect_right();
}

TEST_P(Memory, AnEvictingServerIsRefusedAtTheStartWithTheRemedy) {
  ASSERT_EQ(admin("CONFIG SET maxmemory-policy allkeys-lru"), "OK");
  node_->client = redis::open_client(redis::parse_url(url()).value(), {}, node_->clock, node_->random).value();
  const auto opened = open_index();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, Code::usage);
  EXPECT_THAT(opened.error().detail, testing::HasSubstr("allkeys-lru"));
  EXPECT_THAT(opened.error().detail, testing::HasSubstr("CONFIG SET maxmemory-policy noeviction"));
}

TEST_P(Memory, AServerThatBeginsToEvictNeverMakesAWrongBoard) {
  load_some();
  ASSERT_EQ(admin("CONFIG SET maxmemory-policy allkeys-random"), "OK");
  const std::string info = admin("INFO memory");
  const std::size_t used = std::stoul(info.substr(info.find("used_memory:") + 12));
  ASSERT_EQ(admin("CONFIG SET maxmemory " + std::to_string(used + 2'000'000)), "OK");
  const std::string filler(50'000, 'x');
  int lost = 0;
  for (int i = 0; i < 2'000 && lost < 10; ++i) {
    ASSERT_EQ(ask_server(server_->port(), {"SET", "filler" + std::to_string(i), filler}).text, "OK");
    for (auto* const node : {&*node_, &*other_}) {
      const auto page = node->index->range(board_, 1, 100);
      if (page) {
        ASSERT_EQ(page->entries, ledger_.entries());
      } else {
        ASSERT_EQ(page.error().code, Code::not_ready) << page.error().detail;
      }
    }
    if (!index().is_loaded(board_).value()) {
      ++lost;
      (void)reload(index(), board_, ledger_);  // and it may be thrown away while it is loaded
    }
  }
  EXPECT_EQ(lost, 10);
  // A node that connects now sees why, and takes the server back once it is set right.
  admin("CLIENT KILL TYPE normal");
  ASSERT_TRUE(eventually([&] {
    const auto page = index().range(board_, 1, 100);
    return !page && page.error().detail.find("allkeys-random") != std::string::npos;
  }));
  ASSERT_EQ(admin("CONFIG SET maxmemory 0"), "OK");
  ASSERT_EQ(admin("CONFIG SET maxmemory-policy noeviction"), "OK");
  ASSERT_TRUE(eventually([&] { return reload(index(), board_, ledger_).has_value(); }));
  ASSERT_TRUE(eventually([&] { return other().is_loaded(board_).has_value(); }));
  expect_right();
}

/// Says that it is some server.
class SomeServer final : public redis::Client {
 public:
  explicit SomeServer(std::string version) : version_(std::move(version)) {}
  Result<std::vector<redis::Reply>> run(std::span<const redis::Command>) override { return fail(Code::internal, {}); }
  Result<std::vector<redis::Reply>> run(std::span<const redis::ScriptCall>) override {
    return fail(Code::internal, {});
  }
  Result<redis::ServerInfo> server_of(std::string_view) override {
    return redis::ServerInfo{"run", version_, "noeviction"};
  }
  Result<std::unique_ptr<redis::Subscription>> subscribe(std::string_view) override { return fail(Code::internal, {}); }
  void doubt_server_of(std::string_view) override {}

 private:
  std::string version_;
};

TEST(ServerVersion, TooOldServersAreRefusedByName) {
  const SystemClock clock;
  SeededRandom random(1);
  for (const char* const version : {"Redis 2.8.24", "Redis 6.0.16", "Redis 5", "Redis 6.1"}) {
    SomeServer server(version);
    const auto opened = redis::RedisRankIndex::open(server, {}, clock, random);
    ASSERT_FALSE(opened) << version;
    EXPECT_EQ(opened.error().code, Code::usage);
    EXPECT_THAT(opened.error().detail, testing::HasSubstr(version));
    EXPECT_THAT(opened.error().detail, testing::HasSubstr("6.2"));
  }
  for (const char* const version : {"Redis 6.2.0", "Redis 7.0.15", "Redis 10.0", "Valkey 7.2.4", "Valkey 9.1.2"}) {
    SomeServer server(version);
    EXPECT_TRUE(redis::RedisRankIndex::open(server, {}, clock, random)) << version;
  }
}

}  // namespace
}  // namespace scoreline::test
