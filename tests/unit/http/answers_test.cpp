// What answers are made of: problem details, quoted text, cached pages, cursors, definitions.
#include <gtest/gtest.h>

#include <string>

#include "http/cursor.h"
#include "http/definition_json.h"
#include "http/json_text.h"
#include "http/page_cache.h"
#include "http/problem.h"

namespace scoreline::http {
namespace {

using leaderboards::BoardId;
using leaderboards::LeaderboardName;
using leaderboards::PlayerId;
using leaderboards::SeasonId;

std::string quoted(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

TEST(JsonText, EscapesWhatMustBe) {
  EXPECT_EQ(quoted("plain \xF0\x9F\x8F\x86"), "\"plain \xF0\x9F\x8F\x86\"");
  EXPECT_EQ(quoted("a\"b\\c\n\r\t"), R"("a\"b\\c\n\r\t")");
  EXPECT_EQ(quoted(std::string_view("\0\x1f\x7f", 3)), "\"\\u0000\\u001f\x7f\"");
  EXPECT_EQ(quoted("caf\xE9"), "\"caf\xEF\xBF\xBD\"");
}

TEST(Problem, SaysWhatIsWrongAndWhatWouldBeRight) {
  const Response response = problem(Error{Code::invalid, "must be \"a\"", "points", {}});
  EXPECT_EQ(response.status, 422);
  EXPECT_EQ(response.content_type, "application/problem+json");
  EXPECT_EQ(response.body, R"({"type":"urn:scoreline:problem:invalid","title":"A value is not valid","status":422,)"
                           R"("detail":"must be \"a\"","code":"invalid","field":"points"})");
  EXPECT_FALSE(response.retry_after);
}

TEST(Problem, SaysWhenToTryAgain) {
  EXPECT_EQ(problem(Error{Code::not_ready, "", {}, {}}).retry_after, std::chrono::seconds{1});
  EXPECT_EQ(problem(Error{Code::overloaded, "", {}, std::chrono::milliseconds{2500}}).retry_after,
            std::chrono::seconds{3});
}

Request asking(std::string_view if_none_match) {
  Request request;
  request.if_none_match = if_none_match;
  return request;
}

TEST(PageCache, KeepsAPageUnderItsVersionOnly) {
  PageCache cache;
  EXPECT_EQ(cache.find("top", 1), nullptr);
  cache.put("top", 1, "one");
  ASSERT_NE(cache.find("top", 1), nullptr);
  EXPECT_EQ(*cache.find("top", 1)->body, "one");
  EXPECT_EQ(cache.find("top", 2), nullptr);
  EXPECT_EQ(cache.find("other", 1), nullptr);
}

TEST(PageCache, IsBounded) {
  PageCache cache;
  for (std::size_t i = 0; i < 3 * PageCache::kMaxPages; ++i) cache.put(std::to_string(i), 1, "page");
  std::size_t kept = 0;
  for (std::size_t i = 0; i < 3 * PageCache::kMaxPages; ++i)
    kept += cache.find(std::to_string(i), 1) != nullptr ? 1 : 0;
  EXPECT_LE(kept, PageCache::kMaxPages);
  EXPECT_GE(kept, 1U);
}

TEST(PageCache, AnswersNotModifiedToWhoHasThePage) {
  PageCache cache;
  const CachedPage page = *cache.put("top", 1, "one");
  EXPECT_EQ(page.etag.size(), 18U);
  EXPECT_NE(page.etag, etag_of("two"));
  EXPECT_EQ(answer_with(page, asking("")).status, 200);
  EXPECT_EQ(answer_with(page, asking("")).content(), "one");
  EXPECT_EQ(answer_with(page, asking(etag_of("two"))).status, 200);
  for (const std::string& tags : {page.etag, "W/" + page.etag, etag_of("two") + ", " + page.etag, std::string("*")}) {
    EXPECT_EQ(answer_with(page, asking(tags)).status, 304) << tags;
    EXPECT_EQ(answer_with(page, asking(tags)).content(), "") << tags;
    EXPECT_EQ(answer_with(page, asking(tags)).etag, page.etag) << tags;
  }
}

Cursor cursor_at(std::string player, std::int64_t points, std::int64_t ms) {
  return {
      BoardId{LeaderboardName::trusted("weekly"), SeasonId{12}}, PlayerId::trusted(std::move(player)), {points, {ms}}};
}

TEST(CursorText, ComesBackAsItWas) {
  for (const Cursor& cursor :
       {cursor_at("alice", 120, 1'760'292'000'000), cursor_at("a/b \xF0\x9F\x8F\x86", -5, -1'700'000'000'000),
        cursor_at(std::string(128, 'x'), std::numeric_limits<std::int64_t>::max(), 0),
        cursor_at("1", std::numeric_limits<std::int64_t>::min(), 1)}) {
    const std::string text = encode_cursor(cursor);
    EXPECT_EQ(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"),
              std::string::npos);
    const auto back = decode_cursor(text);
    ASSERT_TRUE(back);
    EXPECT_EQ(back->board, cursor.board);
    EXPECT_EQ(back->player, cursor.player);
    EXPECT_EQ(back->standing, cursor.standing);
  }
}

TEST(CursorText, RefusesWhatIsNotOurs) {
  const std::string text = encode_cursor(cursor_at("alice", 120, 0));
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(decode_cursor(text.substr(0, size))) << size;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    const auto cursor = decode_cursor(changed);
    // The spare bits of the last character may differ; nothing else may.
    if (cursor) {
      EXPECT_EQ(i + 1, text.size());
    }
  }
  for (const std::string& bad : {std::string("nonsense"), std::string("===="), std::string(100'000, 'A')}) {
    EXPECT_EQ(decode_cursor(bad).error().field, "cursor");
  }
}

std::string text_of(const leaderboards::Definition& definition) {
  std::string out;
  append_definition(out, definition);
  return out;
}

TEST(DefinitionJson, HasDefaultsForWhatIsAbsent) {
  const auto definition = read_definition("{}", "main");
  ASSERT_TRUE(definition);
  EXPECT_EQ(text_of(*definition),
            R"({"name":"main","rule":"best","order":"desc","scale":0,"ties":"first","key":"wide","minPoints":0,)"
            R"("maxPoints":9223372036854775807,"grace":"10m","top":100,)"
            R"("periods":[],"timeZone":"UTC","weekStart":"monday","keepDays":3,"keepWeeks":5})");
  EXPECT_EQ(read_definition(R"({"rule":"least"})", "laps")->order, leaderboards::Order::ascending);
}

TEST(DefinitionJson, ReadsWhatItWrites) {
  const std::string text =
      R"({"name":"elo","rule":"latest","order":"asc","scale":2,"ties":"last","key":"wide","minPoints":-0.5,)"
      R"("maxPoints":92233720368547758.07,"grace":"1500ms","top":1000,)"
      R"("periods":["day","week"],"timeZone":"Asia/Kathmandu","weekStart":"sunday","keepDays":366,"keepWeeks":104,)"
      R"("seasonCron":"0 0 1 * *","seasonFrom":"2026-10-01T00:00:00Z"})";
  const auto definition = read_definition(text, "elo");
  ASSERT_TRUE(definition) << definition.error().field << definition.error().detail;
  EXPECT_EQ(definition->min_points, -50);
  EXPECT_EQ(text_of(*definition), text);
}

TEST(DefinitionJson, NamesTheFieldThatIsWrong) {
  const std::pair<std::string, std::string> corpus[] = {
      {R"({"rule":"worst"})", "rule"},
      {R"({"order":1})", "order"},
      {R"({"ties":"coin"})", "ties"},
      {R"({"key":"narrow"})", "key"},
      {R"({"scale":10})", "scale"},
      {R"({"scale":-1})", "scale"},
      {R"({"scale":4294967296})", "scale"},
      {R"({"top":0})", "top"},
      {R"({"top":1001})", "top"},
      {R"({"grace":"soon"})", "grace"},
      {R"({"grace":600})", "grace"},
      {R"({"minPoints":0.5})", "minPoints"},
      {R"({"maxPoints":1e30})", "maxPoints"},
      {R"({"name":"other"})", "name"},
      {R"({"nothing":1})", "nothing"},
      {R"({"minPoints":2,"maxPoints":1})", ""},
      {R"({"periods":"day"})", "periods"},
      {R"({"periods":["month"]})", "periods"},
      {R"({"periods":["day","day"]})", "periods"},
      {R"({"periods":[1]})", "periods"},
      {R"({"timeZone":"Europe/Atlantis"})", "timeZone"},
      {R"({"timeZone":null})", "timeZone"},
      {R"({"weekStart":"mon"})", "weekStart"},
      {R"({"keepDays":0})", "keepDays"},
      {R"({"keepDays":367})", "keepDays"},
      {R"({"keepWeeks":105})", "keepWeeks"},
      {R"({"seasonCron":"0 0 * *"})", "seasonCron"},
      {R"({"seasonCron":1})", "seasonCron"},
      {R"({"seasonEvery":"1d"})", "seasonFrom"},
      {R"({"seasonEvery":"soon"})", "seasonEvery"},
      {R"({"seasonFrom":"2026-10-01T00:00:00Z"})", "seasonFrom"},
      {R"({"seasonCron":"@daily","seasonEvery":"1d","seasonFrom":"2026-10-01T00:00:00Z"})", "seasonEvery"},
  };
  for (const auto& [body, field] : corpus) {
    const auto definition = read_definition(body, "board");
    ASSERT_FALSE(definition) << body;
    EXPECT_EQ(definition.error().code, Code::invalid) << body;
    if (!field.empty()) {
      EXPECT_EQ(definition.error().field, field) << body;
    }
  }
  EXPECT_EQ(read_definition("{}", "Bad Name").error().field, "leaderboard");
  EXPECT_EQ(read_definition("{", "board").error().code, Code::unreadable);
  EXPECT_EQ(read_definition("[]", "board").error().code, Code::invalid);
}

TEST(SeasonJson, ReadsWhatItWrites) {
  for (const std::string text : {R"({"id":12,"start":"2026-10-01T00:00:00Z","end":"2026-11-01T00:00:00Z"})",
                                 R"({"id":0,"start":null,"end":null})"}) {
    const auto season = read_season(text);
    ASSERT_TRUE(season) << text;
    std::string out;
    append_season(out, *season, *parse_timestamp("2026-10-12T00:00:00Z"));
    EXPECT_EQ(out, text.substr(0, text.size() - 1) + R"(,"state":"open"})");
  }
  EXPECT_EQ(read_season("{}").error().field, "id");
  EXPECT_EQ(read_season(R"({"id":-1})").error().field, "id");
  EXPECT_EQ(read_season(R"({"id":2147483648})").error().field, "id");
  EXPECT_EQ(read_season(R"({"id":1,"start":"now"})").error().field, "start");
  EXPECT_EQ(read_season(R"({"id":1,"until":"now"})").error().field, "until");
}

}  // namespace
}  // namespace scoreline::http
