// One connection's side of HTTP/1.1, without the socket: bytes in, requests to the handler, bytes out, deadlines.
//
// One request is open at a time; what the client has pipelined behind it waits in the buffer. While an answer is open
// or the client does not take its answers, no more bytes are wanted: the client is held by its own TCP window.
//
// Thread safety: none; every call comes from the connection's loop. Answers reach it through the loop too.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "http/message.h"
#include "http/request_parser.h"

namespace scoreline::http {

/// How long a client may take. Checked about every kSweep (server.cpp), so never earlier and a little later.
struct Deadlines {
  std::chrono::milliseconds idle = std::chrono::seconds{60};   ///< between two requests
  std::chrono::milliseconds head = std::chrono::seconds{10};   ///< from the first byte of a request to its blank line
  std::chrono::milliseconds body = std::chrono::seconds{30};   ///< from there to the end of the body
  std::chrono::milliseconds write = std::chrono::seconds{30};  ///< to take an answer that did not fit the socket
  std::chrono::milliseconds linger = std::chrono::seconds{2};  ///< to read why it was refused before we hang up
  /// Not a client's: how long a stream is silent before a comment shows that both ends are there.
  std::chrono::milliseconds heartbeat = std::chrono::seconds{15};
};

/// What the sessions of one loop share. Refreshed by the loop now and then: no session asks a clock.
struct LoopState {
  Monotonic now;
  std::string date_header;  ///< `Date: Mon, 12 Oct 2026 18:00:00 GMT\r\n`
};

/// Bytes that all connections of a server may hold for bodies that have not been handled yet.
struct BodyBudget {
  std::atomic<std::size_t> used{0};
  std::size_t limit = std::size_t{256} * 1024 * 1024;
};

class Session {
 public:
  Session(Handler& handler, const Deadlines& deadlines, BodyBudget& budget, const LoopState& loop);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// Where answers to this session come from; set once, before the first byte.
  void answer_through(std::shared_ptr<AnswerSink> sink) { sink_ = std::move(sink); }

  /// Whether the connection should be read from.
  bool wants_bytes() const;
  /// Whether the answer is a stream: then what the client sends is nothing any more, but its end ends the connection.
  bool streams() const { return stream_ != nullptr; }
  /// Where the next bytes go. Only while wants_bytes(); valid until the next call of anything here. Empty when there is
  /// no memory for more: the request was refused.
  std::span<char> space();
  /// `size` bytes were put into `space()`.
  void received(std::size_t size);
  /// The client will send no more.
  void ended();
  /// The answer to the open request.
  void answered(Response response);

  /// The stream that was answered with has more.
  void woken();

  /// What is to be sent.
  std::string_view output() const { return std::string_view(output_).substr(sent_); }
  void sent(std::size_t size);
  /// The connection is gone, with whatever is still to be sent.
  void lost();
  /// The socket takes no more of the output for now.
  void blocked();

  /// No more requests: finish what is open, then close.
  void drain();
  /// Nothing is left to do but to close, once the output is sent.
  bool finished() const { return closing_ && !waiting_; }
  /// After finished(): bytes of the client may still be on their way, and a close would reset the connection under the
  /// answer; say goodbye first, and read on until it hangs up.
  bool lingers() const { return lingers_; }
  void linger();

  bool expired() const;
  /// What an expired connection is told, if anything: afterwards it is finished().
  void time_out();

 private:
  enum class Phase { idle, head, body, answering, writing, streaming, lingering };

  std::string_view unread() const { return {buffer_.data() + begin_, end_ - begin_}; }
  void process();
  void handle_request();
  void refuse(const Error& error);
  void append(const Response& response);
  /// Puts what the stream has into an empty output.
  void pump();
  void enter(Phase phase);
  void settle_phase();
  bool grow();
  void give_back();

  Handler& handler_;
  const Deadlines& deadlines_;
  BodyBudget& budget_;
  const LoopState& loop_;
  std::shared_ptr<AnswerSink> sink_;
  std::shared_ptr<BodyStream> stream_;  ///< of the answer under way; nullptr: it is no stream

  RequestParser parser_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::string output_;
  std::size_t sent_ = 0;
  std::vector<std::function<void()>> told_when_lost_;  ///< of the answers in the output

  Phase phase_ = Phase::idle;
  Monotonic phase_ends_;
  bool processing_ = false;
  bool waiting_ = false;    ///< for the answer to the open request
  bool head_only_ = false;  ///< the open request is a HEAD
  bool keep_alive_ = true;  ///< after the open request
  bool continue_sent_ = false;
  bool ended_ = false;
  bool draining_ = false;
  bool closing_ = false;
  bool lingers_ = false;
};

}  // namespace scoreline::http
