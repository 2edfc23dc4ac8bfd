// The server stopped, killed, hung, full, muted: nothing answered is lost, nothing is counted twice, no call hangs.
#include <signal.h>

#include <fstream>

#include "ledger_fixture.h"
#include "support/tcp_proxy.h"

namespace scoreline::postgres {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

// Long enough for a busy machine, short enough for a test; a call without a deadline of its own would never end.
constexpr Options kImpatient{1'000ms, 2'000ms, 500ms, 200ms, 4};

TEST_F(PostgresFaults, BatchOfATerminatedSessionIsSentAgainByItself) {
  const auto ledger = open();
  Stranger stranger(url());
  stranger.hold(3, "p2");
  auto answer = append_and_wait_for_lock(*ledger, batch_of(5));
  const std::string first = waiting_backend();
  server().sql("SELECT pg_terminate_backend(" + first + ")");
  eventually([&] { return !waiting_backend().empty() && waiting_backend() != first; });
  stranger.run("ROLLBACK");
  const auto answers = answer.get();
  ASSERT_TRUE(answers) << answers.error().detail;
  EXPECT_THAT(*answers, Each(Recorded::recorded));
  EXPECT_EQ(rows(), 5);
}

TEST_F(PostgresFaults, SessionTerminatedWhileIdleIsNotNoticed) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(batch_of(1)));
  ASSERT_TRUE(ledger->has_results(board_name("main")));
  server().sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'scoreline'");
  eventually(
      [] { return server().sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'scoreline'") == "0"; });
  const auto appended = ledger->append(batch_of(1, 100));
  EXPECT_TRUE(appended) << appended.error().detail;
  const auto read = ledger->has_results(board_name("main"));
  EXPECT_TRUE(read) << read.error().detail;
}

TEST_F(PostgresFaults, KilledBackendLeavesTheOutcomeUnknownUntilItIsSentAgain) {
  const auto ledger = open();
  Stranger stranger(url());
  stranger.hold(3, "p2");
  auto answer = append_and_wait_for_lock(*ledger, batch_of(5));
  ASSERT_EQ(::kill(std::stoi(waiting_backend()), SIGKILL), 0);
  const auto lost = answer.get();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::unknown_outcome) << lost.error().detail;
  EXPECT_TRUE(lost.error().retry_after);
  EXPECT_THAT(settle(*ledger, batch_of(5)), Each(Recorded::recorded));
  EXPECT_EQ(rows(), 5);
}

TEST_F(PostgresFaults, WhatWasAnsweredSurvivesACrashOfTheServer) {
  const auto ledger = open();
  ASSERT_TRUE(ledger->append(batch_of(50)));
  server().crash();
  const auto refused = ledger->append(batch_of(5, 100));
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().retry_after);
  EXPECT_FALSE(ledger->has_results(board_name("main")));
  server().start();
  EXPECT_THAT(settle(*ledger, batch_of(5, 100)), Each(Recorded::recorded));
  EXPECT_THAT(settle(*ledger, batch_of(50)), Each(Recorded::duplicate));
  EXPECT_EQ(rows(), 55);
}

TEST_F(PostgresFaults, ShortRestartIsBridged) {
  const auto ledger = open({5s, 60s, 3s, 30s, 4});
  server().stop();
  auto answer = std::async(std::launch::async, [&] { return ledger->append(batch_of(5)); });
  std::this_thread::sleep_for(200ms);
  server().start();
  const auto answers = answer.get();
  ASSERT_TRUE(answers) << answers.error().detail;
  EXPECT_THAT(*answers, Each(Recorded::recorded));
}

TEST_F(PostgresFaults, HungServerIsGivenUpAtTheDeadlineAndTakenAgainLater) {
  const auto ledger = open(kImpatient);
  ASSERT_TRUE(ledger->append(batch_of(5)));
  server().hang();
  const auto written = ledger->append(batch_of(5, 100));
  const auto read = ledger->contains(board_name("main"), result(1, "p0").match_id, player_id("p0"));
  const auto written_again = ledger->append(batch_of(5, 100));
  server().resume();
  ASSERT_FALSE(written);
  EXPECT_EQ(written.error().code, Code::unknown_outcome);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().code, Code::storage_failed);
  ASSERT_FALSE(written_again);
  EXPECT_EQ(written_again.error().code, Code::storage_failed) << "no connection: nothing was sent";
  settle(*ledger, batch_of(5, 100));
  EXPECT_EQ(rows(), 10);
}

TEST_F(PostgresFaults, LostAnswerIsSettledBySendingAgain) {
  test::TcpProxy proxy(server().port());
  const auto ledger = open(kImpatient, url_by(proxy.port()));
  ASSERT_TRUE(ledger->append(batch_of(1, 100)));
  proxy.set(test::TcpProxy::Mode::mute);
  const auto muted = ledger->append(batch_of(5));
  ASSERT_FALSE(muted);
  EXPECT_EQ(muted.error().code, Code::unknown_outcome);
  EXPECT_GT(proxy.lost(), 0u);
  EXPECT_EQ(rows(), 6) << "it was kept";
  proxy.set(test::TcpProxy::Mode::pass);
  proxy.reset();
  EXPECT_THAT(settle(*ledger, batch_of(5)), Each(Recorded::duplicate));
  EXPECT_EQ(rows(), 6);
}

TEST_F(PostgresFaults, ConnectionResetAfterTheCommitLeavesTheOutcomeUnknown) {
  test::TcpProxy proxy(server().port());
  const auto ledger = open({}, url_by(proxy.port()));
  ASSERT_TRUE(ledger->append(batch_of(1, 100)));
  proxy.set(test::TcpProxy::Mode::mute);
  auto answer = std::async(std::launch::async, [&] { return ledger->append(batch_of(5)); });
  eventually([&] { return rows() == 6; });
  proxy.reset();
  const auto lost = answer.get();
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().code, Code::unknown_outcome);
  proxy.set(test::TcpProxy::Mode::pass);
  EXPECT_THAT(settle(*ledger, batch_of(5)), Each(Recorded::duplicate));
}

TEST_F(PostgresFaults, BatchThatWasNotSentWholeIsNotKept) {
  test::TcpProxy proxy(server().port());
  const auto ledger = open(kImpatient, url_by(proxy.port()));
  ASSERT_TRUE(ledger->append(batch_of(1, 100'000)));
  proxy.set(test::TcpProxy::Mode::hold);
  // More than the buffers of two sockets hold.
  std::vector<MatchResult> large = batch_of(10'000);
  for (MatchResult& each : large) {
    each.player = player_id(each.player.text() + std::string(120, 'x'));
    each.leaderboard = board_name(std::string(64, 'l'));
  }
  const auto held = ledger->append(large);
  ASSERT_FALSE(held);
  EXPECT_THAT(held.error().code, ::testing::AnyOf(Code::storage_failed, Code::unknown_outcome));
  proxy.reset();
  proxy.set(test::TcpProxy::Mode::pass);
  EXPECT_EQ(rows(), 1);
  EXPECT_THAT(settle(*ledger, large), Each(Recorded::recorded));
}

TEST_F(PostgresFaults, NoFreeConnectionIsTriedAgainLater) {
  const auto ledger = open(kImpatient);
  std::vector<std::unique_ptr<Stranger>> crowd;
  do crowd.push_back(std::make_unique<Stranger>(url()));
  while (crowd.back()->is_connected());
  const auto refused = ledger->has_results(board_name("main"));
  EXPECT_TRUE(ledger->append(batch_of(5))) << "its connection is there already";
  crowd.clear();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::storage_failed);
  EXPECT_THAT(refused.error().detail, HasSubstr("too many clients"));
  EXPECT_TRUE(refused.error().retry_after);
  eventually([&] { return ledger->has_results(board_name("main")).has_value(); });
}

TEST_F(PostgresFaults, PasswordsAreNeverShown) {
  server().sql("CREATE ROLE joe LOGIN PASSWORD 'sesame'");
  const std::string hba = server().sql("SHOW hba_file");
  std::ifstream old(hba);
  const std::string rest{std::istreambuf_iterator<char>(old), std::istreambuf_iterator<char>()};
  std::ofstream(hba) << "host all joe 127.0.0.1/32 scram-sha-256\n" << rest;
  server().sql("SELECT pg_reload_conf()");
  const auto address = [&](const std::string& user, const std::string& database) {
    return test::PostgresServer::url(user, database, server().port());
  };
  const Error wrong = error_of_opening(address("joe:mellon", "postgres"), kImpatient);
  EXPECT_EQ(wrong.code, Code::storage_failed);
  EXPECT_THAT(wrong.detail, HasSubstr("password authentication failed"));
  EXPECT_THAT(wrong.detail, HasSubstr("postgresql://joe@127.0.0.1"));
  EXPECT_THAT(wrong.detail, Not(HasSubstr("mellon")));

  const Error unknown = error_of_opening(address("joe:sesame", "nowhere"), kImpatient);
  EXPECT_EQ(unknown.code, Code::storage_failed);
  EXPECT_THAT(unknown.detail, HasSubstr("database \"nowhere\" does not exist"));
  EXPECT_THAT(unknown.detail, Not(HasSubstr("sesame")));

  for (const char* unreadable : {"postgresql://joe:sesame@[::1/db", "postgresql://joe:ses%ame@host/db",
                                 "postgresql://joe:ses@me@host/db", "host=x password=sesame"}) {
    const Error error = error_of_opening(unreadable);
    EXPECT_EQ(error.code, Code::usage) << unreadable;
    EXPECT_THAT(error.detail, Not(HasSubstr("me@"))) << unreadable;
    EXPECT_THAT(error.detail, Not(HasSubstr("sesame"))) << unreadable;
  }
}

}  // namespace
}  // namespace scoreline::postgres
