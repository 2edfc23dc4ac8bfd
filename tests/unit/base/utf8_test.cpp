#include "base/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace scoreline {
namespace {

TEST(Utf8, TakesEveryWellFormedLength) {
  EXPECT_TRUE(is_utf8(""));
  EXPECT_TRUE(is_utf8("alice"));
  EXPECT_TRUE(is_utf8("Gradín"));
  EXPECT_TRUE(is_utf8("손흥민"));
  EXPECT_TRUE(is_utf8("😀"));
  EXPECT_TRUE(is_utf8(std::string("\0", 1)));
  EXPECT_TRUE(is_utf8("\xF4\x8F\xBF\xBF"));
}

TEST(Utf8, RefusesMalformedBytes) {
  for (const char* bytes : {"\x80", "\xC3", "\xC0\xAF", "\xC1\xBF", "\xE0\x80\xAF", "\xE0\x9F\xBF", "\xED\xA0\x80",
                            "\xED\xBF\xBF", "\xF0\x80\x80\xAF", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xFF",
                            "a\xE2\x82", "\xE2\x28\xA1", "\xF0\x9F\x98"}) {
    EXPECT_FALSE(is_utf8(bytes));
  }
}

TEST(Utf8, SeesControlCharacters) {
  EXPECT_FALSE(has_control_character("Gradín 😀"));
  EXPECT_FALSE(has_control_character("\xC2\xA0"));
  for (const char* text : {"a\nb", "a\r", "\t", "\x1B[0m", "\x7F", "a\xC2\x85"}) {
    EXPECT_TRUE(has_control_character(text));
  }
  EXPECT_TRUE(has_control_character(std::string("a\0b", 3)));
}

}  // namespace
}  // namespace scoreline
