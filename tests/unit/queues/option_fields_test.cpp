#include "queues/option_fields.h"

#include <gtest/gtest.h>

namespace scoreline::queues {
namespace {

TEST(OptionFieldsTest, WhatIsWrittenIsReadAgain) {
  QueueOptions options;
  options.durability = Durability::os;
  options.max_attempts = 7;
  options.crash_limit = 0;
  options.lease = std::chrono::milliseconds{1'234};
  options.backoff = std::chrono::milliseconds{5};
  options.max_backoff = std::chrono::milliseconds{6};
  options.crash_backoff = std::chrono::milliseconds{7};
  options.dedup_for = kMaxDelay;
  options.aging = std::chrono::milliseconds{9};
  options.max_leased = 10;
  options.reserved = 3;
  options.reserved_for = 2;
  options.max_dead = 11;
  options.dead_for = std::chrono::milliseconds{12};
  options.max_payload = 13;
  options.max_jobs = kMaxJobsInQueue;
  EXPECT_EQ(parse_options(format_options(options)), options);
}

TEST(OptionFieldsTest, WhatIsNotNamedHasItsDefault) {
  const auto parsed = parse_options("maxAttempts=3");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->max_attempts, 3);
  EXPECT_EQ(parsed->lease, QueueOptions{}.lease);
  EXPECT_EQ(parse_options(""), QueueOptions{});
}

TEST(OptionFieldsTest, WhatNobodyWroteIsDamage) {
  for (const std::string_view text : {"colour=red", "maxAttempts", "maxAttempts=", "maxAttempts=3x", "maxAttempts=0",
                                      "durability=paper", " ", "lease=-1"}) {
    const auto parsed = parse_options(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_EQ(parsed.error().code, Code::damaged) << text;
  }
}

}  // namespace
}  // namespace scoreline::queues
