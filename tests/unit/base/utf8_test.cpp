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

TEST(Utf8, VisibleTextHasNothingThatAStoreOrATerminalStumblesOver) {
  EXPECT_EQ(visible_text("Gradín 😀", 99), "Gradín 😀");
  EXPECT_EQ(visible_text(std::string("a\0b\x1B[2Jc\n", 9), 99), "a\uFFFDb\uFFFD[2Jc\uFFFD");
  EXPECT_EQ(visible_text("\xFF\xE2\x82 \xC2\x9B", 99), "\uFFFD\uFFFD\uFFFD \uFFFD");
}

TEST(Utf8, VisibleTextIsCutBetweenCharacters) {
  EXPECT_EQ(visible_text("aí😀", 2), "a");
  EXPECT_EQ(visible_text("aí😀", 6), "aí");
  EXPECT_EQ(visible_text("aí😀", 7), "aí😀");
  EXPECT_EQ(visible_text("\xFF", 2), "");
}

}  // namespace
}  // namespace scoreline
