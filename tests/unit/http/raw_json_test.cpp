#include "http/raw_json.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "http/json_document.h"

namespace scoreline::http {
namespace {

/// The raw values of all members `payload`, in order; the code of the error when it is refused.
std::vector<std::string> payloads(const std::string& text) {
  const auto document = JsonDocument::parse(text, "payload");
  if (!document) return {std::string(traits(document.error().code).name)};
  std::vector<std::string> found;
  const auto look = [&found](const auto& self, JsonValue value) -> void {
    value.each([&](JsonValue each) {
      if (each.key() == "payload") {
        EXPECT_EQ(each.kind(), JsonKind::raw);
        EXPECT_EQ(each.size(), 0u);
        found.emplace_back(each.text());
      }
      self(self, each);
    });
  };
  look(look, document->root());
  return found;
}

using Texts = std::vector<std::string>;

TEST(RawJsonTest, KeepsAValueOfAnyKindWithoutItsSpaces) {
  for (const char* const value : {"null", "true", "false", "0", "-1.50e3", R"("")", R"("text")", "[]", "{}", "[[],{}]",
                                  R"({"a":[1,{"b":null}],"c":"d"})", R"([1,"2",[3],{"4":5},true,null])"}) {
    EXPECT_EQ(payloads(std::string(R"({"payload":)") + value + "}"), Texts{value});
  }
  EXPECT_EQ(payloads("{ \"payload\" : { \"a\" : [ 1 , 2 ] , \"b\" : \" c \" } }"), Texts{R"({"a":[1,2],"b":" c "})"});
}

TEST(RawJsonTest, LooksNotIntoIt) {
  EXPECT_EQ(payloads(R"({"payload":{"a":1,"a":2,"payload":3}})"), Texts{R"({"a":1,"a":2,"payload":3})"});
  std::string many = "{";
  for (int i = 0; i < 5'000; ++i) many += (i > 0 ? ",\"k" : "\"k") + std::to_string(i) + "\":" + std::to_string(i);
  many += "}";
  EXPECT_EQ(payloads(R"({"payload":)" + many + "}"), Texts{many});
}

TEST(RawJsonTest, StandsWhereverTheKeyStands) {
  EXPECT_EQ(payloads(R"({"jobs":[{"id":"a","payload":[1]},{"payload":"x","id":"b"}],"payload":2})"),
            (Texts{"[1]", R"("x")", "2"}));
  const auto document = JsonDocument::parse(R"({"id":"a","payload":{"id":"b"},"priority":3})", "payload");
  ASSERT_TRUE(document);
  EXPECT_EQ(document->root().size(), 3u);
  EXPECT_TRUE(document->root().has("priority"));
}

TEST(RawJsonTest, StringsAreWrittenSoThatTheyMeanTheSame) {
  EXPECT_EQ(payloads(R"({"payload":"\u00e9\n\"\\\/\u0000"})"), Texts{"\"\u00e9\\n\\\"\\\\/\\u0000\""});
  EXPECT_EQ(payloads(R"({"payload":{"\u006bey\"":"[{:"}})"), Texts{R"({"key\"":"[{:"})"});
  EXPECT_EQ(payloads(R"({"payload":["[","{",":",","]})"), Texts{R"(["[","{",":",","])"});
  const std::string longer(100'000, 'x');
  EXPECT_EQ(payloads(R"({"payload":")" + longer + R"("})"), Texts{"\"" + longer + "\""});
}

TEST(RawJsonTest, WhatIsNoJsonIsRefusedThereToo) {
  for (const char* const value : {"", "[1,]", "{\"a\"}", "01", "nul", "\"\xff\"", "\"\\ud800\"", "[1", "1 2"}) {
    EXPECT_EQ(payloads(std::string(R"({"payload":)") + value + "}"), Texts{"unreadable"}) << value;
  }
  EXPECT_EQ(payloads(R"({"payload":)" + std::string(1'000, '[') + std::string(1'000, ']') + "}"), Texts{"unreadable"});
  EXPECT_EQ(payloads(R"({"payload":1,"payload":2})"), Texts{"unreadable"}) << "twice in one object";
}

TEST(RawJsonTest, TellsWhatIsJson) {
  for (const char* const text : {"null", " 1 ", "\"x\"", "{\"a\":[]}", "[1,2]"}) EXPECT_TRUE(is_json(text)) << text;
  for (const char* const text : {"", " ", "x", "1 2", "{", "\"", "[1,]", "\"\xff\"", "nul", "1,"}) {
    EXPECT_FALSE(is_json(text)) << text;
  }
  EXPECT_FALSE(is_json(std::string_view("\"\0\"", 3)));
}

}  // namespace
}  // namespace scoreline::http
