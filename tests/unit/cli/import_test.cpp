#include <gtest/gtest.h>

#include <deque>
#include <sstream>

#include "cli/commands.h"

namespace scoreline::cli {
namespace {

using std::chrono::milliseconds;

/// Rows that are all good, of players p1, p2 …
class Rows final : public ingest::ResultSource {
 public:
  explicit Rows(int count) : count_(count) {}
  Result<std::optional<ingest::SourceRow>> next() override {
    if (at_ == count_) return std::nullopt;
    ++at_;
    text_ = "row " + std::to_string(at_);
    ingest::Submission submission;
    submission.player_id = "p" + std::to_string(at_);
    return ingest::SourceRow{static_cast<std::uint64_t>(at_) + 1, text_, submission};
  }
  std::uint64_t bytes_read() const override { return 0; }
  std::optional<std::uint64_t> bytes_total() const override { return std::nullopt; }

 private:
  int count_;
  int at_ = 0;
  std::string text_;
};

struct Rejected final : ingest::RejectedSink {
  explicit Rejected(std::vector<std::string>& to) : told(to) {}
  Result<void> write(const ingest::RejectedRow& row) override {
    told.push_back(std::to_string(row.line) + " " + row.error.field + " " + std::string(row.text));
    return {};
  }
  Result<void> flush() override { return {}; }
  std::vector<std::string>& told;
};

/// Answers as told, then takes everything; writes down every batch.
struct ScriptedStore final : Store {
  Result<BatchOutcome> submit(const std::vector<ingest::Submission>& batch) override {
    batches.push_back(batch);
    if (script.empty()) return BatchOutcome{batch.size(), 0, 0, {}};
    auto answer = script.front();
    script.pop_front();
    return answer;
  }
  Result<ShownBoard> range(const BoardChoice&, std::uint64_t, std::size_t) override { return ShownBoard{}; }
  Result<ShownBoard> around(const BoardChoice&, const std::string&, std::size_t) override { return ShownBoard{}; }
  Result<ShownBoard> place(const BoardChoice&, const std::string&) override { return ShownBoard{}; }
  Result<ShownAudit> audit_rank(const BoardChoice&, const std::string&) override { return ShownAudit{}; }
  Result<std::string> moderate(const PlayerCommand&) override { return std::string(); }
  Result<std::vector<ShownAuditEntry>> audit_log(std::int64_t, std::size_t) override {
    return std::vector<ShownAuditEntry>();
  }
  Result<std::int64_t> rebuild(const BoardChoice&, const OnProgress&) override { return 1; }
  Result<ShownDrift> reconcile(const BoardChoice&, bool, const OnProgress&) override { return ShownDrift{}; }

  std::deque<Result<BatchOutcome>> script;
  std::vector<std::vector<ingest::Submission>> batches;
};

/// Hands a store of the test to the command.
struct Borrowed final : Store {
  explicit Borrowed(ScriptedStore& to) : store(to) {}
  Result<BatchOutcome> submit(const std::vector<ingest::Submission>& batch) override { return store.submit(batch); }
  Result<ShownBoard> range(const BoardChoice& b, std::uint64_t f, std::size_t l) override {
    return store.range(b, f, l);
  }
  Result<ShownBoard> around(const BoardChoice& b, const std::string& p, std::size_t r) override {
    return store.around(b, p, r);
  }
  Result<ShownBoard> place(const BoardChoice& b, const std::string& p) override { return store.place(b, p); }
  Result<ShownAudit> audit_rank(const BoardChoice& b, const std::string& p) override { return store.audit_rank(b, p); }
  Result<std::string> moderate(const PlayerCommand& c) override { return store.moderate(c); }
  Result<std::vector<ShownAuditEntry>> audit_log(std::int64_t a, std::size_t l) override {
    return store.audit_log(a, l);
  }
  Result<std::int64_t> rebuild(const BoardChoice& b, const OnProgress& p) override { return store.rebuild(b, p); }
  Result<ShownDrift> reconcile(const BoardChoice& b, bool r, const OnProgress& p) override {
    return store.reconcile(b, r, p);
  }
  ScriptedStore& store;
};

class ImportTest : public testing::Test {
 protected:
  Result<int> run(int rows, ImportCommand command = {}) {
    command.file = "rows.csv";
    Context context{
        .out = out,
        .err = err,
        .json = true,
        .progress = false,
        .clock = clock,
        .random = random,
        .wait =
            [this](milliseconds pause) {
              waits.push_back(pause);
              clock.advance(pause);
            },
        .open_store = [this]() -> Result<std::unique_ptr<Store>> { return std::make_unique<Borrowed>(store); },
        .open_letters = {},
        .open_folder = {},
        .start_node = {},
        .open_answerer = {},
        .told_to_stop = {},
        .remote = remote,
        .open_source = [rows](const std::string&, const std::optional<std::string>&)
            -> Result<std::unique_ptr<ingest::ResultSource>> { return std::make_unique<Rows>(rows); },
        .open_message_sink = {},
        .open_rejected = [this](const std::string&) { return std::make_unique<Rejected>(rejected); },
        .open_result_sink = {},
        .open_board_sink = {},
        .configuration = {}};
    return run_import(command, context);
  }

  static tl::unexpected<Error> trouble(Code code, std::optional<milliseconds> after = std::nullopt) {
    return tl::unexpected<Error>(Error{code, "trouble", {}, after});
  }

  std::ostringstream out;
  std::ostringstream err;
  ManualClock clock{Timestamp{1'000'000}};
  SeededRandom random{1};
  ScriptedStore store;
  std::vector<std::string> rejected;
  std::vector<milliseconds> waits;
  bool remote = true;
};

TEST_F(ImportTest, SendsBatchesOfTheSizeAskedFor) {
  ImportCommand command;
  command.batch = 4;
  EXPECT_EQ(run(10, command).value(), 0);
  ASSERT_EQ(store.batches.size(), 3U);
  EXPECT_EQ(store.batches[0].size(), 4U);
  EXPECT_EQ(store.batches[2].size(), 2U);
  EXPECT_EQ(out.str(), "{\"improved\":10,\"unchanged\":0,\"duplicate\":0,\"rejected\":0}\n");
}

TEST_F(ImportTest, EveryTryOfABatchIsTheSameBatch) {
  store.script = {trouble(Code::unknown_outcome), trouble(Code::overloaded), trouble(Code::not_ready),
                  trouble(Code::storage_full)};
  EXPECT_EQ(run(3).value(), 0);
  ASSERT_EQ(store.batches.size(), 5U);
  for (const auto& batch : store.batches) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      ASSERT_TRUE(batch[i].match_id.has_value());
      EXPECT_EQ(batch[i].match_id, store.batches[0][i].match_id);
    }
  }
}

TEST_F(ImportTest, WaitsAsLongAsTheServerAsksAndLongerEachTime) {
  store.script = {trouble(Code::overloaded, milliseconds{3'000}), trouble(Code::not_ready), trouble(Code::not_ready)};
  EXPECT_EQ(run(1).value(), 0);
  ASSERT_EQ(waits.size(), 3U);
  EXPECT_EQ(waits[0], milliseconds{3'000});
  EXPECT_GE(waits[1], milliseconds{100});
  EXPECT_LE(waits[1], milliseconds{200});
  EXPECT_GE(waits[2], milliseconds{200});
  EXPECT_LE(waits[2], milliseconds{400});
}

TEST_F(ImportTest, GivesUpAfterTheTimeAndSaysHowToGoOn) {
  for (int i = 0; i < 100; ++i) store.script.push_back(trouble(Code::not_ready));
  ImportCommand command;
  command.retry_s = 10;
  const auto done = run(3, command);
  ASSERT_FALSE(done.has_value());
  EXPECT_EQ(done.error().code, Code::not_ready);
  EXPECT_NE(done.error().detail.find("import the same file again"), std::string::npos);
  EXPECT_LT(store.batches.size(), 20U);
}

TEST_F(ImportTest, AnErrorThatStaysIsNotTriedAgain) {
  store.script = {trouble(Code::not_found)};
  EXPECT_EQ(run(3).error().code, Code::not_found);
  EXPECT_EQ(store.batches.size(), 1U);
}

TEST_F(ImportTest, AFolderIsNotTriedAgain) {
  remote = false;
  store.script = {trouble(Code::storage_full)};
  EXPECT_EQ(run(3).error().code, Code::storage_full);
  EXPECT_TRUE(waits.empty());
}

TEST_F(ImportTest, ARejectedResultIsToldWithItsOwnLine) {
  store.script = {BatchOutcome{1, 0, 1, {{2, Error{Code::invalid, "no", "points", {}}}}}};
  EXPECT_EQ(run(3).value(), 65);
  EXPECT_EQ(rejected, (std::vector<std::string>{"4 points row 3"}));
  EXPECT_EQ(out.str(), "{\"improved\":1,\"unchanged\":0,\"duplicate\":1,\"rejected\":1}\n");
}

TEST_F(ImportTest, ASeasonAskedForStandsInPlaceOfTheRows) {
  ImportCommand command;
  command.into.leaderboard = "other";
  command.into.season = 9;
  EXPECT_EQ(run(1, command).value(), 0);
  EXPECT_EQ(store.batches[0][0].season_id, 9);
  EXPECT_EQ(store.batches[0][0].leaderboard, "other");
}

}  // namespace
}  // namespace scoreline::cli
