#include "http/request_parser.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "base/limits.h"

namespace scoreline::http {
namespace {

using Step = RequestParser::Step;

constexpr std::string_view kHost = "Host: h\r\n";

/// The refusal of `bytes`, the same however they come: whole, and byte by byte. nullopt: not refused.
std::optional<Code> refusal(const std::string& bytes) {
  RequestParser whole;
  const Step at_once = whole.parse(bytes);
  RequestParser dripped;
  Step step = Step::need_more;
  std::string moving;  // grows, so it moves in memory
  for (std::size_t i = 0; i < bytes.size() && step == Step::need_more; ++i) {
    moving += bytes[i];
    step = dripped.parse(moving);
  }
  EXPECT_EQ(at_once, step) << bytes.substr(0, 200);
  if (at_once != Step::failed || step != Step::failed) return std::nullopt;
  EXPECT_EQ(whole.error().code, dripped.error().code) << bytes.substr(0, 200);
  return whole.error().code;
}

std::string get(std::string_view target, std::string_view headers = kHost) {
  return "GET " + std::string(target) + " HTTP/1.1\r\n" + std::string(headers) + "\r\n";
}

std::string post(std::string_view headers, std::string_view body) {
  return "POST /x HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

TEST(RequestParser, ReadsARequestWithAndWithoutBody) {
  const std::string bytes =
      post("Content-Type: application/json\r\nIf-None-Match:  \"a\" \r\nContent-Length: 5\r\n", "hello") + get("/next");
  RequestParser parser;
  ASSERT_EQ(parser.parse(bytes), Step::complete);
  Request request = parser.request(bytes);
  EXPECT_EQ(request.method, Method::post);
  EXPECT_EQ(request.target, "/x");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.if_none_match, "\"a\"");
  EXPECT_EQ(request.body, "hello");
  EXPECT_TRUE(parser.keep_alive());

  const std::string next = bytes.substr(parser.size());
  parser.reset();
  ASSERT_EQ(parser.parse(next), Step::complete);
  request = parser.request(next);
  EXPECT_EQ(request.method, Method::get);
  EXPECT_EQ(request.target, "/next");
  EXPECT_EQ(request.body, "");
  EXPECT_EQ(request.content_type, "");
  EXPECT_EQ(parser.size(), next.size());
}

TEST(RequestParser, JoinsChunksHoweverTheyAreCut) {
  const std::string bytes =
      post("Transfer-Encoding: chunked\r\n", "4\r\nwiki\r\n5;name=value\r\npedia\r\n0\r\nTrailer: x\r\n\r\n") + "GET";
  for (std::size_t cut = 1; cut < bytes.size() - 3; ++cut) {
    RequestParser parser;
    std::string moving = bytes.substr(0, cut);
    ASSERT_EQ(parser.parse(moving), Step::need_more) << cut;
    moving = bytes;
    ASSERT_EQ(parser.parse(moving), Step::complete) << cut;
    EXPECT_EQ(parser.request(moving).body, "wikipedia");
    EXPECT_EQ(parser.request(moving).target, "/x");
    EXPECT_EQ(parser.size(), bytes.size() - 3);
  }
}

TEST(RequestParser, KnowsWhetherTheConnectionGoesOn) {
  RequestParser parser;
  ASSERT_EQ(parser.parse(get("/", "Host: h\r\nConnection: close\r\n")), Step::complete);
  EXPECT_FALSE(parser.keep_alive());
}

TEST(RequestParser, TellsWhoWaitsForContinue) {
  const std::string bytes = post("Expect: 100-continue\r\nContent-Length: 3\r\n", "");
  RequestParser parser;
  EXPECT_FALSE(parser.wants_continue());
  ASSERT_EQ(parser.parse(bytes), Step::need_more);
  EXPECT_TRUE(parser.wants_continue());
  EXPECT_EQ(parser.expected_size(), bytes.size() + 3);
}

TEST(RequestParser, RefusesWhatTwoParsersCouldReadDifferently) {
  const std::vector<std::string> corpus = {
      // Two lengths, or a length beside chunks.
      post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"),
      post("Content-Length: 5\r\nContent-Length: 5\r\n", "hello"),
      post("Content-Length: 5\r\nContent-Length: 6\r\n", "hello!"),
      post("Content-Length: 5, 5\r\n", "hello"),
      post("Content-Length: +5\r\n", "hello"),
      post("Content-Length: -1\r\n", ""),
      post("Content-Length: 0x5\r\n", "hello"),
      post("Content-Length: 5 5\r\n", "hello"),
      post("Content-Length:\r\n", ""),
      post("Content-Length: 99999999999999999999999\r\n", ""),
      // Codings that are not just `chunked`.
      post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
      post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
      post("Transfer-Encoding: identity\r\n", ""),
      post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
      post("Transfer-Encoding: chunked;q=1\r\n", "0\r\n\r\n"),
      post("Transfer-Encoding:\r\n", ""),
      post("Transfer-Encoding : chunked\r\n", "0\r\n\r\n"),
      // Chunks that are none.
      post("Transfer-Encoding: chunked\r\n", "x\r\nhello\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "-1\r\nhello\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "0x5\r\nhello\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", " 5\r\nhello\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "5\r\nhelloX\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "5\nhello\n0\n\n\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "fffffffffffffffff\r\nhello\r\n0\r\n\r\n"),
      post("Transfer-Encoding: chunked\r\n", "5;" + std::string(5000, 'a')),
      post("Transfer-Encoding: chunked\r\n", "0\r\nX: " + std::string(5000, 'a')),
      // Lines.
      "GET / HTTP/1.1\nHost: h\n\n\r\n\r\n",
      get("/", "Host: h\r\nA: b\n\r\n"),
      get("/", "Host: h\r\nA: b\rc\r\n"),
      get("/", "Host: h\r\nA: b\r\n folded\r\n"),
      get("/", "Host: h\r\nA:\r\n\tfolded\r\n"),
      get("/", "Host: h\r\nA : b\r\n"),
      get("/", "Host: h\r\n A: b\r\n"),
      get("/", "Host: h\r\n: b\r\n"),
      get("/", "Host: h\r\nA\r\n"),
      get("/", std::string("Host: h\r\nA: b\0c\r\n", 17)),
      // Hosts.
      get("/", ""),
      get("/", "Host: h\r\nHost: h\r\n"),
      // Start lines.
      "GET / HTTP/1.0\r\nHost: h\r\n\r\n",
      "GET / HTTP/2.0\r\nHost: h\r\n\r\n",
      "GET / HTTP/1.1 \r\nHost: h\r\n\r\n",
      "GET /\r\nHost: h\r\n\r\n",
      "GET  / HTTP/1.1\r\nHost: h\r\n\r\n",
      "G@T / HTTP/1.1\r\nHost: h\r\n\r\n",
      "\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n",
      get("http://h/"),
      get("h/"),
      get("*"),
      get("/a#b"),
      get(std::string_view("/a\0b", 4)),
      get("/a\x7f"),
      get("/a b"),
      std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),
  };
  for (const std::string& bytes : corpus) EXPECT_EQ(refusal(bytes), Code::unreadable) << bytes.substr(0, 200);
}

TEST(RequestParser, RefusesCompressedBodies) {
  EXPECT_EQ(refusal(post("Content-Encoding: gzip\r\nContent-Length: 3\r\n", "abc")), Code::unsupported);
  EXPECT_EQ(refusal(post("Content-Encoding: identity\r\nContent-Length: 3\r\n", "abc")), std::nullopt);
}

TEST(RequestParser, HoldsTheLimits) {
  EXPECT_EQ(refusal(get("/" + std::string(kMaxTargetBytes - 1, 'a'))), std::nullopt);
  EXPECT_EQ(refusal(get("/" + std::string(kMaxTargetBytes, 'a'))), Code::target_too_long);
  EXPECT_EQ(refusal(get("/" + std::string(100'000, 'a'))), Code::target_too_long);
  EXPECT_EQ(refusal(get("/", "Host: h\r\nA: " + std::string(kMaxHeaderBytes, 'a') + "\r\n")), Code::header_too_large);
  std::string many = "Host: h\r\n";
  for (int i = 0; i < 10'000; ++i) many += "A: b\r\n";
  EXPECT_EQ(refusal(get("/", many)), Code::header_too_large);
  // Refused when the head is there, before a byte of the body.
  EXPECT_EQ(refusal(post("Content-Length: 8388609\r\n", "")), Code::too_large);
  EXPECT_EQ(refusal(post("Content-Length: 9223372036854775808\r\n", "")), Code::too_large);
}

TEST(RequestParser, HoldsTheLimitOfAChunkedBody) {
  std::string bytes = post("Transfer-Encoding: chunked\r\n", "");
  const std::string chunk = "100000\r\n" + std::string(0x100000, 'a') + "\r\n";
  RequestParser parser;
  Step step = Step::need_more;
  int chunks = 0;
  while (step == Step::need_more && chunks < 20) {
    bytes += chunk;
    ++chunks;
    step = parser.parse(bytes);
  }
  EXPECT_EQ(step, Step::failed);
  EXPECT_EQ(parser.error().code, Code::too_large);
  EXPECT_EQ(chunks, 8);
}

}  // namespace
}  // namespace scoreline::http
