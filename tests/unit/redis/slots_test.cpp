#include "adapters/redis/slots.h"

#include <gtest/gtest.h>

namespace scoreline::redis {
namespace {

// The published check value of CRC-16/XMODEM, and slots as `CLUSTER KEYSLOT` of Redis 7.0.15 tells them.
TEST(Slots, CrcHasItsPublishedCheckValue) { EXPECT_EQ(crc16("123456789"), 0x31C3); }

TEST(Slots, AreThoseOfTheServer) {
  EXPECT_EQ(slot_of(""), 0);
  EXPECT_EQ(slot_of("foo"), 12182);
  EXPECT_EQ(slot_of("bar"), 5061);
  EXPECT_EQ(slot_of("hello"), 866);
  EXPECT_EQ(slot_of("somekey"), 11058);
}

TEST(Slots, OnlyTheFirstTagCounts) {
  EXPECT_EQ(slot_of("lb:{s12}"), slot_of("s12"));
  EXPECT_EQ(slot_of("lb:{s12}:meta"), slot_of("lb:{s12}"));
  EXPECT_EQ(slot_of("foo{hash_tag}"), 2515);
  EXPECT_EQ(slot_of("foo{bar}{zap}"), slot_of("bar"));
  EXPECT_EQ(slot_of("foo{{bar}}zap"), slot_of("{bar"));
}

TEST(Slots, AnEmptyOrOpenTagIsNone) {
  EXPECT_EQ(slot_of("foo{}{bar}"), crc16("foo{}{bar}") % kSlots);
  EXPECT_EQ(slot_of("foo{bar"), crc16("foo{bar") % kSlots);
}

}  // namespace
}  // namespace scoreline::redis
