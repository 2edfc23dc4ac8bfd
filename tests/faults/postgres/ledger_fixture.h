// A ledger in a schema of its own on the test program's one PostgreSQL server, and a stranger's session beside it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libpq-fe.h>

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "adapters/postgres/postgres_ledger.h"
#include "support/ledger_words.h"
#include "support/postgres_server.h"

namespace scoreline::postgres {

using leaderboards::LeaderboardName;
using leaderboards::LedgerRow;
using leaderboards::MatchResult;
using leaderboards::PlayerId;
using leaderboards::Recorded;
using namespace std::chrono_literals;

inline LeaderboardName board_name(std::string text) { return LeaderboardName::trusted(std::move(text)); }
inline PlayerId player_id(std::string text) { return PlayerId::trusted(std::move(text)); }

inline MatchResult result(std::uint64_t match, std::string player, std::int64_t points = 10) {
  Uuid id;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(match >> (8 * i));
  return {board_name("main"), id, player_id(std::move(player)), {1}, points, {1'000}};
}

inline std::vector<MatchResult> batch_of(std::uint64_t count, std::uint64_t first = 1) {
  std::vector<MatchResult> batch;
  for (std::uint64_t i = 0; i < count; ++i) batch.push_back(result(first + i, "p" + std::to_string(i)));
  return batch;
}

/// Somebody else in the same schema, with a transaction that stays open as long as the test wants.
class Stranger {
 public:
  explicit Stranger(const std::string& url) : connection_(PQconnectdb(url.c_str()), PQfinish) {}

  bool is_connected() const { return PQstatus(connection_.get()) == CONNECTION_OK; }
  std::string run(const std::string& sql) {
    const std::unique_ptr<PGresult, decltype(&PQclear)> done(PQexec(connection_.get(), sql.c_str()), PQclear);
    const auto status = PQresultStatus(done.get());
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      throw std::runtime_error(sql + ": " + PQerrorMessage(connection_.get()));
    }
    return PQntuples(done.get()) > 0 ? PQgetvalue(done.get(), 0, 0) : "";
  }
  /// Begins a transaction that records result(match, player), so that who records the same must wait for its end.
  void hold(std::uint64_t match, const std::string& player) {
    run("BEGIN");
    insert(match, player);
  }
  void insert(std::uint64_t match, const std::string& player) {
    run("INSERT INTO match_results(leaderboard, match_id, player_id, season_id, points, achieved_at, by_player) "
        "VALUES ('main', '" +
        format_uuid(result(match, player).match_id) + "', '" + player + "', 1, 10, '1970-01-01T00:00:01Z', false)");
  }

 private:
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
};

template <typename Condition>
void eventually(const Condition& condition) {
  for (int i = 0; i < 1'000; ++i) {
    if (condition()) return;
    std::this_thread::sleep_for(10ms);
  }
  throw std::runtime_error("what was waited for did not come");
}

class PostgresFaults : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    if (!test::PostgresServer::programs().empty()) {
      server_ = std::make_unique<test::PostgresServer>(
          std::vector<std::string>{"max_connections=20", "superuser_reserved_connections=0", "deadlock_timeout=20ms"});
    }
  }
  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override {
    if (server_ == nullptr) GTEST_SKIP() << "PostgreSQL is not installed";
    url_ = test::new_schema_url(*server_);
  }

  static test::PostgresServer& server() { return *server_; }
  const std::string& url() const { return url_; }
  /// The schema's URL by way of another port.
  std::string url_by(int port) const {
    std::string text = url_;
    const std::string ours = std::to_string(server().port());
    return text.replace(text.find(ours), ours.size(), std::to_string(port));
  }

  std::unique_ptr<PostgresLedger> open(const Options& options = {}, std::string at = {}) {
    auto opened = PostgresLedger::open(at.empty() ? url_ : at, options, clock_, random_);
    if (!opened) throw std::runtime_error(opened.error().detail);
    return std::move(*opened);
  }
  Error error_of_opening(const std::string& at, const Options& options = {}) {
    const auto opened = PostgresLedger::open(at, options, clock_, random_);
    return opened ? Error{} : opened.error();
  }

  std::string sql(const std::string& text) { return Stranger(url_).run(text); }
  std::int64_t rows() { return std::stoll(sql("SELECT count(*) FROM match_results")); }

  /// append() on a thread of its own, once it waits for a lock.
  using Answer = Result<std::vector<Recorded>>;
  std::future<Answer> append_and_wait_for_lock(PostgresLedger& ledger, const std::vector<MatchResult>& batch) {
    auto answer = std::async(std::launch::async, [&ledger, batch] { return ledger.append(batch); });
    eventually([this] { return !waiting_backend().empty(); });
    return answer;
  }
  /// The process of a session of ours that waits for a lock.
  std::string waiting_backend() {
    return server().sql(
        "SELECT pid FROM pg_stat_activity WHERE application_name = 'scoreline' "
        "AND wait_event_type = 'Lock' LIMIT 1");
  }
  /// Sends the batch until it is answered, as clients do; at most for half a minute.
  std::vector<Recorded> settle(PostgresLedger& ledger, const std::vector<MatchResult>& batch) {
    std::vector<Recorded> answers;
    eventually([&] {
      auto answer = ledger.append(batch);
      if (answer) answers = *std::move(answer);
      return !answers.empty();
    });
    return answers;
  }

 private:
  static inline std::unique_ptr<test::PostgresServer> server_;
  SystemClock clock_;
  SeededRandom random_{1};
  std::string url_;
};

}  // namespace scoreline::postgres
