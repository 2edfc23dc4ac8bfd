// What becomes of changes that meet a failure.
#include "queues/group_commit.h"

#include <gtest/gtest.h>

#include "support/model_job_ledger.h"

namespace scoreline::queues {
namespace {

LedgerBatch job(std::uint64_t sequence, Change change = Change::added) {
  LedgerBatch batch;
  batch.jobs.push_back({1, change, {}});
  batch.jobs[0].job.sequence = sequence;
  return batch;
}

struct NotedKeeper final : GroupCommit::Keeper {
  LedgerBatch kept(const LedgerBatch&) override { return {}; }
  Result<void> undo(const LedgerBatch& batch, bool /*maybe_kept*/, JobLedger&) override {
    std::vector<std::uint64_t> sequences;
    for (const JobChange& change : batch.jobs) sequences.push_back(change.job.sequence);
    undone.push_back(sequences);
    if (meanwhile) std::exchange(meanwhile, nullptr)();
    return {};
  }
  std::vector<std::vector<std::uint64_t>> undone;
  std::function<void()> meanwhile;
};

TEST(GroupCommit, WhatACallAddsThatCouldNotKnowOfTheFailureIsTakenBackToo) {
  test::ModelJobLedger ledger;
  NotedKeeper keeper;
  GroupCommit commit(ledger, keeper);
  bool room = false;
  ledger.next = [&room] {
    return std::exchange(room, true) ? test::ModelJobLedger::Fault::none : test::ModelJobLedger::Fault::full;
  };
  std::vector<Code> told;
  const auto note = [&](const Error* error) { told.push_back(error != nullptr ? error->code : Code::internal); };
  keeper.meanwhile = [&] {
    EXPECT_TRUE(commit.refusal());
    commit.add(job(2), Durability::disk, note);
  };
  commit.add(job(1), Durability::disk, note);
  commit.step();
  EXPECT_EQ(told, (std::vector<Code>{Code::storage_full, Code::storage_full}));
  EXPECT_EQ(keeper.undone, (std::vector<std::vector<std::uint64_t>>{{1}, {2}}));
  EXPECT_FALSE(commit.refusal());
  commit.step();
  EXPECT_TRUE(ledger.jobs.empty());
}

TEST(GroupCommit, OfEachJobOnlyWhatItHasBecomeIsWritten) {
  const auto fold = [](std::vector<Change> changes) {
    LedgerBatch batch;
    for (const Change change : changes) append(batch, job(1, change));
    const LedgerBatch once = folded(std::move(batch));
    return once.jobs.empty() ? std::optional<Change>() : once.jobs[0].change;
  };
  using enum Change;
  EXPECT_EQ(fold({added, updated}), added);
  EXPECT_EQ(fold({added, emptied}), added);
  EXPECT_EQ(fold({added, updated, removed}), std::nullopt);
  EXPECT_EQ(fold({updated, emptied}), emptied);
  EXPECT_EQ(fold({emptied, updated}), emptied);
  EXPECT_EQ(fold({updated, removed}), removed);
  EXPECT_EQ(fold({removed, updated}), removed);
  EXPECT_EQ(fold({removed, added}), added) << "a queue that left the ledger, and came back";
}

}  // namespace
}  // namespace scoreline::queues
