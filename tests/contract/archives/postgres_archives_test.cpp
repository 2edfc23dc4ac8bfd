#include <atomic>
#include <thread>

#include "adapters/postgres/postgres_ledger.h"
#include "contract/archives/archives_contract.h"
#include "support/postgres_server.h"

namespace scoreline::leaderboards {
namespace {

/// One for the whole program; nullptr when PostgreSQL is not installed.
const test::PostgresServer* server() {
  static const std::unique_ptr<test::PostgresServer> server =
      test::PostgresServer::programs().empty() ? nullptr : std::make_unique<test::PostgresServer>();
  return server.get();
}

std::unique_ptr<postgres::PostgresLedger> open_ledger(const std::string& url, const Clock& clock, Random& random) {
  auto opened = postgres::PostgresLedger::open(url, {}, clock, random);
  if (!opened) throw std::runtime_error(opened.error().detail);
  return std::move(*opened);
}

class PostgresHarness final : public ArchivesHarness {
 public:
  PostgresHarness() : url_(test::new_schema_url(*server())), ledger_(open_ledger(url_, clock_, random_)) {}
  Ledger& ledger() override { return *ledger_; }
  void reopen() override {
    ledger_.reset();
    ledger_ = open_ledger(url_, clock_, random_);
  }

 private:
  SystemClock clock_;
  SeededRandom random_{1};
  std::string url_;
  std::unique_ptr<postgres::PostgresLedger> ledger_;
};

std::vector<ArchivesMaker> makers() {
  if (test::PostgresServer::programs().empty()) return {};
  return {ArchivesMaker{"postgres", [] { return std::make_unique<PostgresHarness>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Postgres, ArchivesContract, ::testing::ValuesIn(makers()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(ArchivesContract);

class TwoNodes : public ::testing::Test {
 protected:
  void SetUp() override {
    if (server() == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    url_ = test::new_schema_url(*server());
    a_ = open_ledger(url_, clock_, random_);
    b_ = open_ledger(url_, clock_, random_);
    ASSERT_TRUE(a_->put_definition(Definition{kArcade}));
    ASSERT_TRUE(a_->put_season(kArcade, {kFirst, Timestamp{0}, std::nullopt}));
  }

  SystemClock clock_;
  SeededRandom random_{1};
  std::string url_;
  std::unique_ptr<postgres::PostgresLedger> a_, b_;
};

TEST_F(TwoNodes, OnlyOneWritesAnArchiveAndTheOtherTakesOverWhenItIsGone) {
  ASSERT_TRUE(a_->archives().mark_closing(kArcade, {kFirst, Timestamp{0}, kNow}));
  auto of_a = a_->archives().begin(kArcade, kFirst);
  ASSERT_TRUE(of_a);
  EXPECT_EQ(b_->archives().begin(kArcade, kFirst).error().code, Code::conflict);
  const std::vector<ArchivedEntry> half{{1, {1, PlayerId::trusted("alice"), {5, {1}}}}};
  ASSERT_TRUE((*of_a)->add(half));
  of_a->reset();  // its connection is gone
  Result<std::unique_ptr<ArchiveWriter>> of_b = fail(Code::internal, "");
  for (int i = 0; i < 100 && !of_b; ++i) of_b = b_->archives().begin(kArcade, kFirst);
  ASSERT_TRUE(of_b);
  while (!*(*of_b)->clear()) {
  }
  ASSERT_TRUE((*of_b)->add(half));
  ASSERT_TRUE((*of_b)->finish(1));
  EXPECT_EQ(a_->archives().read(kArcade, kFirst, 1, 10)->size(), 1u);
  EXPECT_EQ(a_->archives().begin(kArcade, kFirst).error().code, Code::conflict);
}

TEST_F(TwoNodes, NothingIsRecordedAfterTheMarkWhateverTheOtherNodeIsDoing) {
  // B appends as fast as it can while A marks: what the ledger has when the mark has returned is all there will be.
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> recorded{0};
  std::thread writing([&] {
    for (std::uint64_t n = 0; !stop; n += 20) {
      std::vector<MatchResult> batch;
      for (std::uint64_t i = 0; i < 20; ++i) batch.push_back(played(n + i + 1, "p" + std::to_string(n + i), 1));
      const auto answers = b_->append(batch);
      if (!answers) break;
      recorded += static_cast<std::uint64_t>(std::count(answers->begin(), answers->end(), Recorded::recorded));
    }
  });
  while (recorded < 400) std::this_thread::yield();
  ASSERT_TRUE(a_->archives().mark_closing(kArcade, {kFirst, Timestamp{0}, kNow}));
  std::uint64_t at_mark = 0;
  ASSERT_TRUE(a_->scan([&](const LedgerRow&) { ++at_mark; }, [](ScanProgress) {}));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(a_->definitions_version());  // some time for B to go on trying
  stop = true;
  writing.join();
  std::uint64_t in_the_end = 0;
  ASSERT_TRUE(a_->scan([&](const LedgerRow&) { ++in_the_end; }, [](ScanProgress) {}));
  EXPECT_EQ(at_mark, in_the_end);
  EXPECT_EQ(recorded, in_the_end);
}

}  // namespace
}  // namespace scoreline::leaderboards
