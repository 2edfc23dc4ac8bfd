#include <future>
#include <thread>

#include "adapters/postgres/postgres_ledger.h"
#include "contract/dead_letters/dead_letters_contract.h"
#include "support/postgres_server.h"
#include "support/tcp_proxy.h"

namespace scoreline::ingest {
namespace {

using namespace std::chrono_literals;

/// One for the whole program; nullptr when PostgreSQL is not installed.
const test::PostgresServer* server() {
  static const std::unique_ptr<test::PostgresServer> server =
      test::PostgresServer::programs().empty() ? nullptr : std::make_unique<test::PostgresServer>();
  return server.get();
}

class PostgresHarness final : public DeadLettersHarness {
 public:
  explicit PostgresHarness(std::string url = test::new_schema_url(*server()), const postgres::Options& options = {})
      : url_(std::move(url)), options_(options) {
    open();
  }
  DeadLetters& letters() override { return *letters_; }
  void reopen() override {
    letters_.reset();
    ledger_.reset();
    open();
  }

 private:
  void open() {
    auto opened = postgres::PostgresLedger::open(url_, options_, clock_, random_);
    if (!opened) throw std::runtime_error(opened.error().detail);
    ledger_ = std::move(*opened);
    letters_ = ledger_->dead_letters();
  }

  SystemClock clock_;
  SeededRandom random_{1};
  std::string url_;
  postgres::Options options_;
  std::unique_ptr<postgres::PostgresLedger> ledger_;
  std::unique_ptr<DeadLetters> letters_;
};

std::vector<DeadLettersMaker> makers() {
  if (test::PostgresServer::programs().empty()) return {};
  return {DeadLettersMaker{"postgres", [] { return std::make_unique<PostgresHarness>(); }}};
}

INSTANTIATE_TEST_SUITE_P(Postgres, DeadLettersContract, ::testing::ValuesIn(makers()));
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(DeadLettersContract);

class PostgresDeadLetters : public ::testing::Test {
 protected:
  void SetUp() override {
    if (server() == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
  }
};

TEST_F(PostgresDeadLetters, ALostAnswerIsSettledByAddingAgain) {
  const std::string url = test::new_schema_url(*server());
  test::TcpProxy proxy(server()->port());
  std::string by_proxy = url;
  const std::string port = std::to_string(server()->port());
  by_proxy.replace(by_proxy.find(port), port.size(), std::to_string(proxy.port()));
  PostgresHarness harness(by_proxy, {1'000ms, 2'000ms, 500ms, 200ms, 4});
  PostgresHarness other(url);
  ASSERT_TRUE(harness.letters().add(std::vector{letter(1)}, kNow));
  proxy.set(test::TcpProxy::Mode::mute);
  const auto lost = harness.letters().add(std::vector{letter(1), letter(2)}, kNow);
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::unknown_outcome);
  EXPECT_EQ(other.letters().count().value(), 2u) << "it was kept";
  proxy.set(test::TcpProxy::Mode::pass);
  proxy.reset();
  Result<std::uint64_t> again = fail(Code::internal, "not sent yet");
  for (int i = 0; i < 100 && !again; ++i) {
    again = harness.letters().add(std::vector{letter(1), letter(2)}, kNow);
    if (!again) std::this_thread::sleep_for(100ms);
  }
  ASSERT_TRUE(again) << again.error().detail;
  EXPECT_EQ(*again, 0u);
  EXPECT_EQ(other.letters().count().value(), 2u);
}

TEST_F(PostgresDeadLetters, TwoNodesThatAddTheSameInAnotherOrderKeepItOnce) {
  const std::string url = test::new_schema_url(*server());
  PostgresHarness one(url), two(url);
  std::vector<DeadLetter> forwards;
  for (int i = 0; i < 3'000; ++i) forwards.push_back(letter(i));
  const std::vector<DeadLetter> backwards(forwards.rbegin(), forwards.rend());
  auto first = std::async(std::launch::async, [&] { return one.letters().add(forwards, kNow); });
  const auto second = two.letters().add(backwards, kNow);
  const auto from_first = first.get();
  ASSERT_TRUE(from_first) << from_first.error().detail;
  ASSERT_TRUE(second) << second.error().detail;
  EXPECT_EQ(*from_first + *second, forwards.size());
  EXPECT_EQ(one.letters().count().value(), forwards.size());
}

}  // namespace
}  // namespace scoreline::ingest
