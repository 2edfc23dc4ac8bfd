#include "cli/job_process.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <fstream>

#include "base/clock.h"
#include "support/scratch_folder.h"

namespace scoreline::cli {
namespace {

using std::chrono::milliseconds;

class JobProcessTest : public ::testing::Test {
 protected:
  void SetUp() override { ::signal(SIGPIPE, SIG_IGN); }

  static std::unique_ptr<JobProcess> shell(const std::string& script, std::string input = {},
                                           const JobProcess::Variables& more = {}) {
    auto started = JobProcess::start({"sh", "-c", script}, std::move(input), more);
    EXPECT_TRUE(started) << started.error().detail;
    return std::move(*started);
  }
  JobProcess::Ended end_of(JobProcess& process) {
    const Monotonic patience = clock_.monotonic() + std::chrono::seconds{20};
    while (clock_.monotonic() < patience) {
      if (auto ended = process.wait_for(milliseconds{1'000})) return *ended;
    }
    ADD_FAILURE() << "it does not end";
    return {};
  }
  JobProcess::Ended run(const std::string& script, std::string input = {}, const JobProcess::Variables& more = {}) {
    return end_of(*shell(script, std::move(input), more));
  }

  /// Also when nobody has asked how it ended.
  static bool is_gone(pid_t pid) {
    std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
    std::string number, name, state;
    return !(stat >> number >> name >> state) || state == "Z";
  }

  SystemClock clock_;
  test::ScratchFolder folder_;
};

TEST_F(JobProcessTest, TellsHowItEnded) {
  EXPECT_TRUE(run("exit 0").succeeded);
  EXPECT_EQ(run("exit 3").reason, "exited with 3");
  EXPECT_EQ(run("kill -9 $$").reason, "ended by signal 9");
  EXPECT_FALSE(run("exit 3").succeeded);
}

TEST_F(JobProcessTest, TheReasonIsItsLastLineOnStandardError) {
  EXPECT_EQ(run("echo first >&2; echo >&2; echo 'no such mailbox' >&2; echo >&2; exit 1").reason, "no such mailbox");
  EXPECT_EQ(run("printf 'without an end' >&2; exit 1").reason, "without an end");
  EXPECT_EQ(run("echo complains >&2; exit 0").reason, "");
  EXPECT_EQ(run("head -c 100000 /dev/zero | tr '\\0' x >&2; exit 1").reason, std::string(1'000, 'x'));
}

TEST_F(JobProcessTest, ThePayloadIsItsInput) {
  const std::string payload = std::string("\0\xff", 2) + std::string(1'000'000, 'p');
  const std::string file = (folder_.path() / "payload").string();
  ASSERT_TRUE(run("cat > " + file, payload).succeeded);
  std::ifstream written(file, std::ios::binary);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), payload);
  EXPECT_TRUE(run("exit 0", payload).succeeded) << "who reads none of it may succeed";
}

TEST_F(JobProcessTest, VariablesAreAddedAndReplaced) {
  ::setenv("SCORELINE_TEST_OLD", "old", 1);
  EXPECT_TRUE(run("[ \"$SCORELINE_TEST_NEW\" = 'a b' ] && [ \"$SCORELINE_TEST_OLD\" = new ] && [ -n \"$PATH\" ]", {},
                  {{"SCORELINE_TEST_NEW", "a b"}, {"SCORELINE_TEST_OLD", "new"}})
                  .succeeded);
}

TEST_F(JobProcessTest, WhatCannotBeStartedIsSaid) {
  const auto started = JobProcess::start({"/no/such/program"}, {}, {});
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().code, Code::usage);
  EXPECT_NE(started.error().detail.find("/no/such/program"), std::string::npos);
}

TEST_F(JobProcessTest, ASignalEndsAllThatItHasStarted) {
  const std::string file = (folder_.path() / "pid").string();
  const auto process = shell("sleep 1000 & echo $! > " + file + "; wait");
  EXPECT_FALSE(process->wait_for(milliseconds{20}));
  pid_t child = 0;
  for (int i = 0; i < 500 && child == 0; ++i) {
    std::ifstream(file) >> child;
    if (child == 0) ::usleep(10'000);
  }
  ASSERT_GT(child, 0);
  process->signal(SIGTERM);
  EXPECT_EQ(end_of(*process).reason, "ended by signal 15");
  bool gone = false;
  for (int i = 0; i < 500 && !gone; ++i) {
    gone = is_gone(child);
    if (!gone) ::usleep(10'000);
  }
  EXPECT_TRUE(gone);
}

TEST_F(JobProcessTest, ItStartsWithItsSignalsAsUsual) {
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto process = shell("sleep 1000");
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  process->signal(SIGTERM);
  EXPECT_EQ(end_of(*process).reason, "ended by signal 15");
}

TEST_F(JobProcessTest, WhoIsForgottenIsEnded) {
  const std::string file = (folder_.path() / "pid").string();
  auto process = shell("echo $$ > " + file + "; exec sleep 1000");
  pid_t pid = 0;
  for (int i = 0; i < 500 && pid == 0; ++i) {
    std::ifstream(file) >> pid;
    if (pid == 0) ::usleep(10'000);
  }
  ASSERT_GT(pid, 0);
  process.reset();
  EXPECT_TRUE(is_gone(pid));
}

}  // namespace
}  // namespace scoreline::cli
