#include "base/error.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace scoreline {
namespace {

constexpr int kCodes = static_cast<int>(Code::internal) + 1;

TEST(Error, EveryCodeHasItsOwnNameAndAStatusForEachDoor) {
  std::set<std::string_view> names;
  for (int i = 0; i < kCodes; ++i) {
    const CodeTraits& code = traits(static_cast<Code>(i));
    EXPECT_TRUE(names.insert(code.name).second) << code.name;
    EXPECT_GE(code.http_status, 400) << code.name;
    EXPECT_LT(code.http_status, 600) << code.name;
    EXPECT_GT(code.exit_code, 0) << code.name;
    EXPECT_LT(code.exit_code, 126) << code.name << ": 126 and above are the shell's own";
    EXPECT_FALSE(code.title.empty()) << code.name;
  }
}

TEST(Error, EveryCodeIsFoundByItsName) {
  for (int i = 0; i < kCodes; ++i) EXPECT_EQ(parse_code(traits(static_cast<Code>(i)).name), static_cast<Code>(i));
  EXPECT_EQ(parse_code("no_such_code"), std::nullopt);
}

TEST(Error, FailCarriesTheField) {
  const Result<int> result = fail(Code::invalid, "must be 0..9", "scale");
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().field, "scale");
  EXPECT_EQ(result.error().detail, "must be 0..9");
}

TEST(ErrorDeathTest, ABrokenInvariantStopsTheProcess) {
  EXPECT_DEATH(SCORELINE_CHECK(1 + 1 == 3), "broken invariant: 1 \\+ 1 == 3");
}

}  // namespace
}  // namespace scoreline
