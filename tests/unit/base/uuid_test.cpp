#include "base/uuid.h"

#include <gtest/gtest.h>

#include <set>

namespace scoreline {
namespace {

TEST(Uuid, RoundTripsInLowerCase) {
  const auto uuid = parse_uuid("82E3F5E1-D407-5f8e-b53b-485d4eb9e0c6");
  ASSERT_TRUE(uuid);
  EXPECT_EQ(uuid->bytes[0], 0x82);
  EXPECT_EQ(uuid->bytes[15], 0xC6);
  EXPECT_EQ(format_uuid(*uuid), "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6");
}

TEST(Uuid, RefusesOtherForms) {
  for (const char* text : {"", "42", "82e3f5e1d4075f8eb53b485d4eb9e0c6", "{82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6}",
                           "82e3f5e1-d407-5f8e-b53b-485d4eb9e0cg", "82e3f5e1-d407-5f8e-b53b-485d4eb9e0c",
                           "82e3f5e1d-407-5f8e-b53b-485d4eb9e0c6"}) {
    EXPECT_FALSE(parse_uuid(text)) << text;
  }
}

TEST(Uuid, Version7CarriesTimeAndSortsByIt) {
  SeededRandom random(1);
  const Uuid early = new_uuid_v7({1'791'828'000'000}, random);
  const Uuid late = new_uuid_v7({1'791'828'000'001}, random);
  EXPECT_LT(early, late);
  const std::string text = format_uuid(early);
  EXPECT_EQ(text.substr(0, 15), "01a13145-7d00-7");
  EXPECT_NE(std::string("89ab").find(text[19]), std::string::npos);
}

TEST(Uuid, Version7DiffersWithinAMillisecond) {
  SeededRandom random(2);
  std::set<Uuid> seen;
  for (int i = 0; i < 10'000; ++i) seen.insert(new_uuid_v7({1}, random));
  EXPECT_EQ(seen.size(), 10'000U);
}

}  // namespace
}  // namespace scoreline
