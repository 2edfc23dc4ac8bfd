// Answers without an end: what a session writes of a stream, and when.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <string>

#include "http/session.h"

namespace scoreline::http {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

struct Pieces : BodyStream {
  std::string next() override {
    if (left.empty()) return {};
    std::string piece = left.front();
    left.pop_front();
    return piece;
  }
  std::deque<std::string> left;
};

struct StreamHandler : Handler {
  void handle(const Request& request, Responder responder) override {
    last_id = request.last_event_id;
    Response response;
    response.content_type = kEventStreamType;
    response.stream = pieces;
    responder.send(std::move(response));
  }
  std::shared_ptr<Pieces> pieces = std::make_shared<Pieces>();
  std::string last_id;
};

class SessionStreamTest : public testing::Test, public AnswerSink {
 protected:
  SessionStreamTest() { session.answer_through(std::shared_ptr<AnswerSink>(std::shared_ptr<void>(), this)); }
  void deliver(Response response) override { session.answered(std::move(response)); }
  void wake() override { session.woken(); }

  void ask(const std::string& method = "GET", const std::string& headers = "") {
    const std::string bytes = method + " /events HTTP/1.1\r\nHost: h\r\n" + headers + "\r\n";
    std::memcpy(session.space().data(), bytes.data(), bytes.size());
    session.received(bytes.size());
  }
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

  StreamHandler handler;
  Deadlines deadlines;
  BodyBudget budget;
  LoopState loop{{}, "Date: Mon, 12 Oct 2026 18:00:00 GMT\r\n"};
  Session session{handler, deadlines, budget, loop};
};

TEST_F(SessionStreamTest, AStreamHasNoLengthAndEndsWithItsConnection) {
  handler.pieces->left = {"one"};
  ask();
  const std::string out = take();
  EXPECT_THAT(out, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(out, HasSubstr("Connection: close\r\n"));
  EXPECT_THAT(out, Not(HasSubstr("Content-Length")));
  EXPECT_THAT(out, EndsWith("\r\n\r\none"));
  EXPECT_FALSE(session.finished());
  EXPECT_FALSE(session.wants_bytes());
}

TEST_F(SessionStreamTest, WhatComesLaterIsWrittenWhenItComes) {
  ask();
  take();
  EXPECT_EQ(take(), "");
  handler.pieces->left = {"one", "two"};
  session.woken();
  EXPECT_EQ(take(), "onetwo");
}

TEST_F(SessionStreamTest, WhoDoesNotReadIsAskedForNoMore) {
  ask();
  take();
  handler.pieces->left = {"old"};
  session.woken();
  session.blocked();
  handler.pieces->left = {"older", "newest"};
  handler.pieces->left.pop_front();
  session.woken();
  EXPECT_EQ(session.output(), "old") << "what is newer stays with the stream";
  EXPECT_EQ(take(), "oldnewest");
}

TEST_F(SessionStreamTest, WhoNeverReadsIsCutOff) {
  ask();
  take();
  handler.pieces->left = {"old"};
  session.woken();
  session.blocked();
  pass(deadlines.write);
  ASSERT_TRUE(session.expired());
  session.time_out();
  EXPECT_TRUE(session.finished());
  EXPECT_EQ(session.output(), "");
}

TEST_F(SessionStreamTest, ASilentStreamShowsThatItIsThere) {
  ask();
  take();
  pass(deadlines.heartbeat - std::chrono::milliseconds{1});
  EXPECT_FALSE(session.expired());
  pass(std::chrono::milliseconds{1});
  ASSERT_TRUE(session.expired());
  session.time_out();
  EXPECT_EQ(take(), ":\n\n");
  EXPECT_FALSE(session.finished());
  EXPECT_FALSE(session.expired());
}

TEST_F(SessionStreamTest, AStopEndsTheStream) {
  ask();
  take();
  session.drain();
  EXPECT_TRUE(session.finished());
  EXPECT_EQ(handler.pieces.use_count(), 1) << "the session has let go of it";
}

TEST_F(SessionStreamTest, AHeadRequestGetsTheHeadOnly) {
  handler.pieces->left = {"one"};
  ask("HEAD");
  EXPECT_THAT(take(), EndsWith("\r\n\r\n"));
  EXPECT_TRUE(session.finished());
}

TEST_F(SessionStreamTest, TheLastIdReachesTheHandler) {
  ask("GET", "Last-Event-ID: abc-7\r\n");
  EXPECT_EQ(handler.last_id, "abc-7");
}

}  // namespace
}  // namespace scoreline::http
