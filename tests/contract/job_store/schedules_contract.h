// What every JobStore must do with schedules.
#pragma once

#include "contract/job_store/job_store_fixture.h"

namespace scoreline::queues {

TEST_P(JobStoreContract, AScheduleIsKeptUntilItIsDropped) {
  Schedule nightly{"nightly", "0 3 * * *", "Europe/Berlin", "{}", 2, 3};
  const auto put = [&] { return ask<void>([&](auto done) { store().put_schedule(queue_, nightly, done); }); };
  const auto all = [&] {
    return good(ask<std::vector<ScheduleState>>([&](auto done) { store().schedules(queue_, done); }));
  };
  EXPECT_TRUE(put());
  EXPECT_TRUE(put());
  ASSERT_EQ(all().size(), 1u);
  EXPECT_EQ(all()[0].schedule, nightly);
  EXPECT_FALSE(all()[0].last);
  EXPECT_TRUE(all()[0].next);
  nightly.cron = "61 * * * *";
  expect_error(put(), Code::invalid, "cron");
  const auto drop = [&] { return ask<bool>([&](auto done) { store().drop_schedule(queue_, "nightly", done); }); };
  EXPECT_TRUE(good(drop()));
  EXPECT_FALSE(good(drop()));
  EXPECT_EQ(all().size(), 0u);
}

}  // namespace scoreline::queues
