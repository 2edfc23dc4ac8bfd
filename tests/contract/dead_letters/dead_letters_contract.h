// What every DeadLetters must do, whatever stores them. An adapter's test includes this, and says with
// INSTANTIATE_TEST_SUITE_P(NAME, DeadLettersContract, ::testing::Values(DeadLettersMaker{…})) how they are made.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "base/limits.h"
#include "base/utf8.h"
#include "ingest/dead_letters.h"

namespace scoreline::ingest {

/// One store under test, empty at first.
class DeadLettersHarness {
 public:
  virtual ~DeadLettersHarness() = default;
  virtual DeadLetters& letters() = 0;
  /// Closes the store and opens it again.
  virtual void reopen() = 0;
};

struct DeadLettersMaker {
  std::string name;
  std::function<std::unique_ptr<DeadLettersHarness>()> make;
  friend std::ostream& operator<<(std::ostream& out, const DeadLettersMaker& maker) { return out << maker.name; }
};

inline constexpr Timestamp kNow{1'796'000'000'123};

inline DeadLetter letter(std::int64_t offset, std::optional<std::string> value = "{}",
                         std::optional<Timestamp> sent_at = Timestamp{1'000}, std::int32_t partition = 0,
                         std::string topic = "match-results") {
  const std::uint64_t size = value ? value->size() : 0;
  return {{{std::move(topic), partition}, offset, sent_at, std::move(value)},
          size,
          {Code::invalid, "must be a number", "points", {}}};
}

class DeadLettersContract : public ::testing::TestWithParam<DeadLettersMaker> {
 protected:
  DeadLetters& letters() { return harness_->letters(); }
  void reopen() { harness_->reopen(); }

  std::uint64_t add(const std::vector<DeadLetter>& batch, Timestamp now = kNow) {
    const auto added = letters().add(batch, now);
    EXPECT_TRUE(added) << added.error().detail;
    return added.value_or(0);
  }
  Result<void> refuse_again(const std::vector<RefusedAgain>& refused) { return letters().refuse_again(refused); }
  std::vector<StoredDeadLetter> all(DeadLetterId after = 0, std::size_t limit = kMaxEntries) {
    auto listed = letters().list(after, limit);
    EXPECT_TRUE(listed) << listed.error().detail;
    return listed ? *std::move(listed) : std::vector<StoredDeadLetter>{};
  }
  std::vector<std::int64_t> offsets() {
    std::vector<std::int64_t> offsets;
    for (const auto& stored : all()) offsets.push_back(stored.letter.message.offset);
    return offsets;
  }

 private:
  std::unique_ptr<DeadLettersHarness> harness_ = GetParam().make();
};

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST_P(DeadLettersContract, AtFirstThereAreNone) {
  EXPECT_THAT(all(), IsEmpty());
  EXPECT_EQ(letters().count().value(), 0u);
  EXPECT_EQ(letters().find(1).value(), std::nullopt);
  EXPECT_EQ(letters().remove(std::vector<DeadLetterId>{1, 2}).value(), 0u);
  EXPECT_TRUE(refuse_again({{1, {Code::invalid, "still not a number", "points", {}}}}));
  EXPECT_EQ(letters().count().value(), 0u);
}

TEST_P(DeadLettersContract, EveryFieldComesBackAfterARestart) {
  const auto kMost = std::numeric_limits<std::int64_t>::max();
  DeadLetter extreme = letter(kMost, "x", Timestamp{kMost}, 2'147'483'647, std::string(249, 't'));
  extreme.size = 1'048'576;
  extreme.reason = {Code::too_large, "the value has 1048576 bytes", {}, std::chrono::seconds{1}};
  add({letter(7, R"({"points":"x"})"), extreme});
  reopen();
  const auto stored = all();
  ASSERT_EQ(stored.size(), 2u);
  EXPECT_LT(stored[0].id, stored[1].id);
  EXPECT_EQ(stored[0].added_at, kNow);
  EXPECT_TRUE(stored[0].is_whole());
  const auto& [message, size, reason] = stored[0].letter;
  EXPECT_EQ(message.from, (TopicPartition{"match-results", 0}));
  EXPECT_EQ(message.offset, 7);
  EXPECT_EQ(message.sent_at, Timestamp{1'000});
  EXPECT_EQ(message.value, R"({"points":"x"})");
  EXPECT_EQ(size, 14u);
  EXPECT_EQ(reason.code, Code::invalid);
  EXPECT_EQ(reason.detail, "must be a number");
  EXPECT_EQ(reason.field, "points");
  const DeadLetter& other = stored[1].letter;
  EXPECT_EQ(other.message.from, (TopicPartition{std::string(249, 't'), 2'147'483'647}));
  EXPECT_EQ(other.message.offset, kMost);
  EXPECT_EQ(other.message.sent_at, Timestamp{kMost}) << "a producer may stamp what it likes";
  EXPECT_EQ(other.size, 1'048'576u);
  EXPECT_FALSE(stored[1].is_whole());
  EXPECT_EQ(other.reason.code, Code::too_large);
}

TEST_P(DeadLettersContract, BytesAreKeptAsTheyAre) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) every.push_back(static_cast<char>(byte));
  const std::vector<std::optional<std::string>> values{
      every, std::string("\0", 1), "", std::nullopt, std::string(kMaxDeadLetterBytes, '\xFF'), "\x1B[2J'; --"};
  std::vector<DeadLetter> batch;
  for (std::size_t i = 0; i < values.size(); ++i) batch.push_back(letter(std::int64_t(i), values[i]));
  EXPECT_EQ(add(batch), values.size());
  reopen();
  const auto stored = all();
  ASSERT_EQ(stored.size(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(stored[i].letter.message.value, values[i]) << i;
    EXPECT_EQ(stored[i].is_whole(), values[i].has_value()) << "an empty value is whole, a null one is none";
  }
}

TEST_P(DeadLettersContract, AReasonThatQuotesAHostileMessageIsKeptAsVisibleText) {
  DeadLetter hostile = letter(1);
  hostile.reason = {
      Code::invalid, std::string("a\0\x1B[2J\xFF", 7) + std::string(9'000, 'x'), std::string("f\0", 2), {}};
  EXPECT_EQ(add({hostile, letter(2)}), 2u) << "or the partition would stand still for ever";
  const auto stored = all();
  ASSERT_EQ(stored.size(), 2u);
  const Error& reason = stored[0].letter.reason;
  EXPECT_TRUE(reason.detail.starts_with("a\uFFFD\uFFFD[2J\uFFFDxxx")) << reason.detail.substr(0, 30);
  EXPECT_LE(reason.detail.size(), 1'024u);
  EXPECT_EQ(reason.field, "f\uFFFD");
  ASSERT_TRUE(refuse_again({{stored[1].id, hostile.reason}}));
  EXPECT_EQ(letters().find(stored[1].id).value()->letter.reason.field, "f\uFFFD");
}

TEST_P(DeadLettersContract, AMessageThatComesAgainIsKeptOnceWithItsFirstReason) {
  EXPECT_EQ(add({letter(1), letter(2)}), 2u);
  DeadLetter again = letter(2, "other");
  again.reason.detail = "another reason";
  EXPECT_EQ(add({again, letter(3), letter(3)}, {kNow.ms + 5}), 1u);
  EXPECT_EQ(add({letter(1), letter(2), letter(3)}), 0u);
  EXPECT_THAT(offsets(), ElementsAre(1, 2, 3));
  EXPECT_EQ(all()[1].letter.reason.detail, "must be a number");
  EXPECT_EQ(all()[1].letter.message.value, "{}");
  EXPECT_EQ(all()[1].added_at, kNow);
  EXPECT_EQ(letters().count().value(), 3u);
}

TEST_P(DeadLettersContract, TopicPartitionOffsetAndTimeTellMessagesApart) {
  const std::vector<DeadLetter> apart{letter(1),
                                      letter(2),
                                      letter(1, "{}", Timestamp{1'000}, 1),
                                      letter(1, "{}", Timestamp{1'000}, 0, "others"),
                                      letter(1, "{}", Timestamp{1'001}),
                                      letter(1, "{}", std::nullopt)};
  EXPECT_EQ(add(apart), apart.size()) << "a topic that was made again counts from 0 again";
  EXPECT_EQ(add(apart), 0u) << "one without a time too";
}

TEST_P(DeadLettersContract, TheLargestBatchIsTakenAtOnceAndReadInPages) {
  std::vector<DeadLetter> batch;
  for (std::size_t i = 0; i < kMaxBatch; ++i) {
    batch.push_back(letter(std::int64_t(i), i % 10 == 0 ? std::string(kMaxDeadLetterBytes, 'v') : "v"));
  }
  EXPECT_EQ(add(batch), kMaxBatch);
  EXPECT_EQ(letters().count().value(), kMaxBatch);
  DeadLetterId after = 0;
  std::size_t seen = 0;
  for (auto page = all(); !page.empty(); page = all(after)) {
    EXPECT_EQ(page.size(), kMaxEntries);
    for (const auto& stored : page) {
      ASSERT_GT(stored.id, after);
      ASSERT_EQ(stored.letter.message.offset, std::int64_t(seen));
      after = stored.id;
      ++seen;
    }
  }
  EXPECT_EQ(seen, kMaxBatch);
  EXPECT_EQ(add(batch), 0u);
  std::vector<DeadLetterId> ids;
  for (DeadLetterId id = 1; id <= static_cast<DeadLetterId>(kMaxBatch); ++id) ids.push_back(id);
  EXPECT_EQ(letters().remove(ids).value(), kMaxBatch);
  EXPECT_EQ(letters().count().value(), 0u);
}

TEST_P(DeadLettersContract, AListGoesOnBehindAnIdAndStopsAtItsLimit) {
  add({letter(1), letter(2), letter(3)});
  const auto first = all(0, 2);
  ASSERT_EQ(first.size(), 2u);
  const auto rest = all(first[1].id, 2);
  ASSERT_EQ(rest.size(), 1u);
  EXPECT_EQ(rest[0].letter.message.offset, 3);
  EXPECT_THAT(all(rest[0].id), IsEmpty());
  EXPECT_THAT(all(std::numeric_limits<DeadLetterId>::max()), IsEmpty());
  EXPECT_EQ(all(-5).size(), 3u);
}

TEST_P(DeadLettersContract, RefusedAgainKeepsTheNewReasonAndAllElse) {
  add({letter(1), letter(2)});
  const auto before = all();
  ASSERT_TRUE(refuse_again({{before[1].id, {Code::conflict, "it was there before", "matchId", {}}}}));
  reopen();
  const auto found = letters().find(before[1].id).value();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->letter.reason.code, Code::conflict);
  EXPECT_EQ(found->letter.reason.detail, "it was there before");
  EXPECT_EQ(found->letter.reason.field, "matchId");
  EXPECT_EQ(found->letter.message.offset, 2);
  EXPECT_EQ(found->letter.message.value, "{}");
  EXPECT_EQ(found->added_at, kNow);
  EXPECT_EQ(all()[0].letter.reason.code, Code::invalid);
}

TEST_P(DeadLettersContract, SeveralRefusedAgainKeepEachItsOwnReason) {
  add({letter(1), letter(2), letter(3), letter(4)});
  const auto before = all();
  ASSERT_EQ(letters().remove(std::vector<DeadLetterId>{before[2].id}).value(), 1u);
  ASSERT_TRUE(refuse_again({{before[3].id, {Code::conflict, "fourth", "matchId", {}}},
                            {before[2].id, {Code::conflict, "gone", "matchId", {}}},
                            {before[0].id, {Code::not_found, "first", {}, {}}}}));
  const auto after = all();
  ASSERT_EQ(after.size(), 3u);
  EXPECT_EQ(after[0].letter.reason.detail, "first");
  EXPECT_EQ(after[0].letter.reason.field, "");
  EXPECT_EQ(after[1].letter.reason.detail, before[1].letter.reason.detail);
  EXPECT_EQ(after[2].letter.reason.detail, "fourth");
}

TEST_P(DeadLettersContract, RemovedIsGoneAndItsIdIsNeverGivenAgain) {
  add({letter(1), letter(2), letter(3)});
  const auto before = all();
  EXPECT_EQ(letters().remove(std::vector<DeadLetterId>{before[0].id, before[2].id, before[2].id + 1'000}).value(), 2u);
  EXPECT_EQ(letters().remove({}).value(), 0u);
  reopen();
  EXPECT_THAT(offsets(), ElementsAre(2));
  EXPECT_EQ(letters().find(before[2].id).value(), std::nullopt);
  EXPECT_EQ(add({letter(3)}), 1u) << "it may be put aside again";
  EXPECT_GT(all().back().id, before[2].id);
}

}  // namespace scoreline::ingest
