#include "http/json_document.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/decimal.h"
#include "http/json_fields.h"

namespace scoreline::http {
namespace {

std::string nested(std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(JsonDocument, KeepsOrderTextAndKinds) {
  const auto document = JsonDocument::parse(R"( {"a":[1,2.50,-0],"b":"x\u00e9\n","c":true,"d":null,"":{}} )");
  ASSERT_TRUE(document) << document.error().detail;
  std::vector<std::string> seen;
  document->root().each([&](JsonValue member) {
    seen.push_back(std::string(member.key()) + "=" + std::string(to_string(member.kind())) + " " +
                   std::string(member.text()));
    member.each([&](JsonValue element) { seen.push_back(std::string(element.text())); });
  });
  EXPECT_EQ(seen, (std::vector<std::string>{"a=an array ", "1", "2.50", "-0", "b=a string x\u00e9\n",
                                            "c=true or false true", "d=null ", "=an object "}));
  EXPECT_EQ(document->root().size(), 5U);
  EXPECT_TRUE(document->root().has("c"));
  EXPECT_FALSE(document->root().has("e"));
}

TEST(JsonDocument, NumbersKeepEveryDigit) {
  for (const std::string number : {"9007199254740993", "9223372036854775807", "-9223372036854775808",
                                   "18446744073709551615", "18446744073709551616", "0.1", "1e2", "1E400", "-0"}) {
    const auto document = JsonDocument::parse("[" + number + "]");
    ASSERT_TRUE(document) << number;
    document->root().each([&](JsonValue value) { EXPECT_EQ(value.text(), number); });
    EXPECT_EQ(JsonDocument::parse(number)->root().text(), number);
  }
}

TEST(JsonDocument, RefusesWhatIsNotJson) {
  const std::vector<std::string> corpus = {
      "",
      " ",
      "{",
      "[1",
      "[1,]",
      "{\"a\":1,}",
      "{\"a\"}",
      "{a:1}",
      "{'a':1}",
      "[1 2]",
      "1 2",
      "{} {}",
      "{}x",
      "[]]",
      "NaN",
      "[NaN]",
      "[Infinity]",
      "[-Infinity]",
      "[+1]",
      "[01]",
      "[1.]",
      "[.5]",
      "[1e]",
      "[0x10]",
      "[- 1]",
      "nul",
      "TRUE",
      "\"a",
      "\"\\x\"",
      "\"\t\"",
      "\"\\u12\"",
      "/**/1",
      "[1]//",
      "\xEF\xBB\xBF{}",
      // Lone surrogates, either half, and a pair the wrong way round.
      R"("\ud800")",
      R"("\udc00")",
      R"("\ud800\ud800")",
      R"("\udc00\ud800")",
      R"("\ud800x")",
      // Bytes that are not UTF-8: cut, overlong, surrogate, beyond U+10FFFF, Latin-1.
      "\"\xC3\"",
      "\"\xC0\xAF\"",
      "\"\xED\xA0\x80\"",
      "\"\xF4\x90\x80\x80\"",
      "\"caf\xE9\"",
      "\"\xFF\"",
      std::string("\"\0\"", 3),
      std::string("[]\0", 3),
  };
  for (const std::string& text : corpus) {
    const auto document = JsonDocument::parse(text);
    ASSERT_FALSE(document) << text;
    EXPECT_EQ(document.error().code, Code::unreadable) << text;
  }
}

TEST(JsonDocument, RefusesAKeyThatStandsTwice) {
  const auto document = JsonDocument::parse(R"({"a":1,"b":{"a":1},"\u0061":2})");
  ASSERT_FALSE(document);
  EXPECT_EQ(document.error().code, Code::unreadable);
  EXPECT_EQ(document.error().field, "a");
  EXPECT_TRUE(JsonDocument::parse(R"({"a":1,"b":{"a":1}})"));
}

TEST(JsonDocument, HoldsItsLimits) {
  EXPECT_TRUE(JsonDocument::parse(nested(kMaxJsonDepth)));
  EXPECT_EQ(JsonDocument::parse(nested(kMaxJsonDepth + 1)).error().code, Code::unreadable);
  EXPECT_EQ(JsonDocument::parse(nested(100'000)).error().code, Code::unreadable);
  EXPECT_EQ(JsonDocument::parse(std::string(100'000, '[')).error().code, Code::unreadable);

  std::string members = "{";
  for (std::size_t i = 0; i <= kMaxJsonMembers; ++i) members += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\":0";
  EXPECT_EQ(JsonDocument::parse(members + "}").error().code, Code::too_many);

  std::string values = "[0";
  for (std::size_t i = 2; i < kMaxJsonValues; ++i) values += ",0";
  EXPECT_TRUE(JsonDocument::parse(values + "]"));
  EXPECT_EQ(JsonDocument::parse(values + ",0]").error().code, Code::too_many);
}

TEST(JsonDocument, HugeNumbersAndStringsAreOnlyText) {
  const std::string digits(1'000'000, '9');
  EXPECT_EQ(JsonDocument::parse(digits)->root().text().size(), digits.size());
  EXPECT_EQ(JsonDocument::parse("\"" + digits + "\"")->root().text().size(), digits.size());
}

/// The member `a` of `{"a":…}`, read.
template <typename Read>
auto member(const std::string& value, Read read) {
  const auto document = JsonDocument::parse("{\"a\":" + value + "}");
  decltype(read(document->root())) result = fail(Code::internal, "not read");
  document->root().each([&](JsonValue each) { result = read(each); });
  return result;
}

TEST(JsonFields, ReadExactNumbers) {
  EXPECT_EQ(member("9007199254740993", read_integer), 9007199254740993);
  EXPECT_EQ(member("-9223372036854775808", read_integer), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(member("1e2", read_integer), 100);
  EXPECT_EQ(member("-0", read_integer), 0);
  EXPECT_EQ(member("12.5", read_decimal), (Decimal{125, -1}));
  for (const std::string bad : {"9223372036854775808", "0.5", "1e400", "\"1e2\"", "true", "null", "[]"}) {
    const auto value = member(bad, read_integer);
    ASSERT_FALSE(value) << bad;
    EXPECT_EQ(value.error().code, Code::invalid) << bad;
    EXPECT_EQ(value.error().field, "a") << bad;
  }
  EXPECT_EQ(member(std::string(1'000'000, '9'), read_decimal).error().code, Code::invalid);
}

TEST(JsonFields, ReadPlayerIdsAsTheyAreWritten) {
  const auto id = [](JsonValue value) { return read_player_id(value, "playerId"); };
  EXPECT_EQ(member("\"a b\"", id), "a b");
  EXPECT_EQ(member("42", id), "42");
  EXPECT_EQ(member("-7", id), "-7");
  EXPECT_EQ(member("-0", id), "0");
  EXPECT_EQ(member("18446744073709551616", id), "18446744073709551616");
  for (const std::string bad : {"1.5", "1e2", "true", "null", "{}"}) {
    ASSERT_FALSE(member(bad, id)) << bad;
    EXPECT_EQ(member(bad, id).error().field, "playerId");
  }
}

}  // namespace
}  // namespace scoreline::http
