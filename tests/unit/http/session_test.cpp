#include "http/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <optional>
#include <string>

#include "base/limits.h"

namespace scoreline::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Response with_body(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

/// Answers with the target, at once or when told to.
class EchoHandler final : public Handler {
 public:
  void handle(const Request& request, Responder responder) override {
    ++requests;
    last_body = std::string(request.body);
    Response response;
    response.body = std::string(request.target);
    if (answer_later) {
      open.emplace(std::move(responder));
    } else if (!drop) {
      responder.send(std::move(response));
    }
  }
  int requests = 0;
  bool answer_later = false;
  bool drop = false;
  std::string last_body;
  std::optional<Responder> open;
};

/// A session with a loop whose clock the test moves.
class SessionTest : public testing::Test, public AnswerSink {
 protected:
  SessionTest() {
    // The session does not own the test; the pointer only satisfies the interface.
    session.answer_through(std::shared_ptr<AnswerSink>(std::shared_ptr<void>(), this));
  }
  void TearDown() override { handler.open.reset(); }
  void deliver(Response response) override { session.answered(std::move(response)); }
  void wake() override { session.woken(); }

  void send(std::string_view bytes) {
    while (!bytes.empty()) {
      ASSERT_TRUE(session.wants_bytes());
      const std::span<char> space = session.space();
      const std::size_t size = std::min(space.size(), bytes.size());
      if (size == 0) return;
      std::memcpy(space.data(), bytes.data(), size);
      session.received(size);
      bytes.remove_prefix(size);
    }
  }
  /// What has been put out, taken.
  std::string take() {
    std::string out;
    while (!session.output().empty()) {
      const std::string part(session.output());
      session.sent(part.size());
      out += part;
    }
    return out;
  }
  void pass(std::chrono::milliseconds by) { loop.now = loop.now + by; }

  static std::string get(std::string_view target, std::string_view headers = "") {
    return "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n" + std::string(headers) + "\r\n";
  }

  EchoHandler handler;
  Deadlines deadlines;
  BodyBudget budget;
  LoopState loop{{}, "Date: Mon, 12 Oct 2026 18:00:00 GMT\r\n"};
  Session session{handler, deadlines, budget, loop};
};

TEST_F(SessionTest, AnswersARequestWithFramingAndSecurityHeaders) {
  send(get("/a"));
  EXPECT_EQ(take(),
            "HTTP/1.1 200 OK\r\nDate: Mon, 12 Oct 2026 18:00:00 GMT\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
            "Content-Security-Policy: default-src 'self'\r\n\r\n/a");
  EXPECT_FALSE(session.finished());
  EXPECT_TRUE(session.wants_bytes());
}

TEST_F(SessionTest, AnswersPipelinedRequestsInOrder) {
  send(get("/a") + get("/b") + get("/c"));
  const std::string out = take();
  EXPECT_LT(out.find("\r\n\r\n/a"), out.find("\r\n\r\n/b"));
  EXPECT_LT(out.find("\r\n\r\n/b"), out.find("\r\n\r\n/c"));
  EXPECT_EQ(handler.requests, 3);
}

TEST_F(SessionTest, HoldsPipelinedRequestsWhileAnAnswerIsOpen) {
  handler.answer_later = true;
  send(get("/a") + get("/b"));
  EXPECT_EQ(handler.requests, 1);
  EXPECT_FALSE(session.wants_bytes());
  EXPECT_EQ(take(), "");
  handler.open->send(with_body("first"));
  EXPECT_THAT(take(), EndsWith("first"));
  EXPECT_EQ(handler.requests, 2);
}

TEST_F(SessionTest, LeavesTheBodyOfAHeadRequestAway) {
  send("HEAD /abc HTTP/1.1\r\nHost: h\r\n\r\n");
  const std::string out = take();
  EXPECT_THAT(out, HasSubstr("Content-Length: 4\r\n"));
  EXPECT_THAT(out, EndsWith("\r\n\r\n"));
}

TEST_F(SessionTest, ClosesAfterTheAnswerWhenAsked) {
  send(get("/a", "Connection: close\r\n") + get("/b"));
  EXPECT_THAT(take(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(session.finished());
  EXPECT_TRUE(session.lingers());
  EXPECT_EQ(handler.requests, 1);
}

TEST_F(SessionTest, AnswersADroppedRequestWith500) {
  handler.drop = true;
  send(get("/a"));
  EXPECT_THAT(take(), StartsWith("HTTP/1.1 500 Internal Server Error\r\n"));
}

TEST_F(SessionTest, SaysContinueOnceBeforeTheBody) {
  send("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
  EXPECT_EQ(take(), "HTTP/1.1 100 Continue\r\n\r\n");
  send("bo");
  EXPECT_EQ(take(), "");
  send("dy");
  EXPECT_THAT(take(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(handler.last_body, "body");
}

TEST_F(SessionTest, DoesNotAskForABodyThatItRefuses) {
  send("POST /a HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_THAT(take(), StartsWith("HTTP/1.1 413 "));
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionTest, RefusesAndClosesAfterWhatIsNotHttp) {
  send(get("/a") + "nonsense\r\n\r\n" + get("/b"));
  const std::string out = take();
  EXPECT_THAT(out, StartsWith("HTTP/1.1 200 OK"));
  EXPECT_THAT(out, HasSubstr("HTTP/1.1 400 Bad Request\r\n"));
  EXPECT_THAT(out, HasSubstr("Content-Type: application/problem+json\r\n"));
  EXPECT_THAT(out, HasSubstr("Connection: close\r\n"));
  EXPECT_EQ(handler.requests, 1);
  EXPECT_TRUE(session.finished());
  EXPECT_FALSE(session.wants_bytes());
}

TEST_F(SessionTest, TakesALargeBodyAndGivesItsMemoryBack) {
  const std::string body(kMaxBodyBytes, 'x');
  send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  send(std::string_view(body).substr(0, body.size() - 1));
  EXPECT_GT(budget.used.load(), body.size());
  send("x");
  EXPECT_EQ(handler.last_body, body);
  EXPECT_THAT(take(), StartsWith("HTTP/1.1 200 OK"));
  EXPECT_EQ(budget.used.load(), 0U);
}

TEST_F(SessionTest, RefusesALargeBodyWhenTooManyAreOpen) {
  budget.limit = 1024 * 1024;
  send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 4000000\r\n\r\n");
  send(std::string(2'000'000, 'x').substr(0, 1'000'000));
  while (session.wants_bytes() && !session.space().empty()) session.received(session.space().size());
  const std::string out = take();
  EXPECT_THAT(out, StartsWith("HTTP/1.1 503 "));
  EXPECT_THAT(out, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionTest, ClosesAnIdleConnectionWithoutAWord) {
  send(get("/a"));
  take();
  pass(deadlines.idle - std::chrono::milliseconds{1});
  EXPECT_FALSE(session.expired());
  pass(std::chrono::milliseconds{1});
  EXPECT_TRUE(session.expired());
  session.time_out();
  EXPECT_EQ(take(), "");
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionTest, SlowHeaderIsTimedOutFromItsFirstByte) {
  send("GET / HTTP/1.1\r\nHost: h\r\nA: ");
  for (int i = 0; i < 9; ++i) {
    pass(deadlines.head / 10);
    EXPECT_FALSE(session.expired());
    send("a");  // a byte now and then does not buy time
  }
  pass(deadlines.head / 10);
  EXPECT_TRUE(session.expired());
  session.time_out();
  EXPECT_THAT(take(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionTest, SlowBodyIsAnswered408) {
  send("POST /a HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n");
  pass(deadlines.body - std::chrono::milliseconds{1});
  send("slow");
  EXPECT_FALSE(session.expired());
  pass(std::chrono::milliseconds{1});
  EXPECT_TRUE(session.expired());
  session.time_out();
  EXPECT_THAT(take(), StartsWith("HTTP/1.1 408 Request Timeout\r\n"));
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionTest, SlowReaderIsCutOffAndItsProgressBuysNoTime) {
  send(get("/a"));
  session.blocked();
  pass(deadlines.write / 2);
  session.sent(10);
  session.blocked();
  EXPECT_FALSE(session.expired());
  pass(deadlines.write / 2);
  EXPECT_TRUE(session.expired());
  session.time_out();
  EXPECT_EQ(session.output(), "");
  EXPECT_TRUE(session.finished());
  EXPECT_FALSE(session.lingers());
}

TEST_F(SessionTest, AnOpenAnswerHasNoDeadline) {
  handler.answer_later = true;
  send(get("/a"));
  pass(std::chrono::hours{1});
  EXPECT_FALSE(session.expired());
  handler.open->send(with_body("late"));
  EXPECT_THAT(take(), EndsWith("late"));
}

TEST_F(SessionTest, DrainingFinishesTheOpenRequestAndSaysClose) {
  handler.answer_later = true;
  send(get("/a") + get("/b"));
  session.drain();
  EXPECT_FALSE(session.finished());
  handler.open->send(with_body("done"));
  EXPECT_THAT(take(), HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(session.finished());
  EXPECT_EQ(handler.requests, 1);
}

TEST_F(SessionTest, DrainingClosesAnIdleConnection) {
  session.drain();
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionTest, StopsReadingFromAClientThatDoesNotTakeItsAnswers) {
  std::string long_target = "/" + std::string(3000, 'a');
  int sent = 0;
  while (session.wants_bytes() && sent < 1000) {
    send(get(long_target));
    ++sent;
  }
  EXPECT_LT(sent, 100);
  EXPECT_FALSE(session.wants_bytes());
  take();
  EXPECT_TRUE(session.wants_bytes());
  EXPECT_EQ(handler.requests, sent);
}

TEST_F(SessionTest, TellsThatAnAnswerWasLostWhileSomeOfItIsStillHere) {
  handler.answer_later = true;
  int lost = 0;
  const auto answer = [&] {
    send(get("/"));
    Response response = with_body(std::string(1'000, 'x'));
    response.lost = [&lost] { ++lost; };
    handler.open->send(std::move(response));
    handler.open.reset();
  };
  answer();
  take();
  session.lost();
  EXPECT_EQ(lost, 0) << "it went out whole";
  answer();
  session.sent(500);
  session.lost();
  EXPECT_EQ(lost, 1);
  session.lost();
  EXPECT_EQ(lost, 1) << "once";
}

}  // namespace
}  // namespace scoreline::http
