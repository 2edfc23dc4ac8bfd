// What a handler sees of HTTP: a request as views, an answer as a value, and the promise to give one.
//
// Thread safety: a Responder may be completed from any thread; everything else is a plain value.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace scoreline::http {

enum class Method : std::uint8_t { get, head, put, post, del, other };

std::string_view to_string(Method method);  ///< `GET` …; `other` is empty

/// One whole request. The views live until Handler::handle returns, no longer.
struct Request {
  Method method = Method::other;
  std::string_view target;         ///< as sent: path, and `?query` when there is one
  std::string_view content_type;   ///< as sent, with parameters; empty when absent
  std::string_view if_none_match;  ///< empty when absent
  std::string_view last_event_id;  ///< of a listener that comes back; empty when absent
  std::string_view host;           ///< as sent, with its port
  std::string_view origin;         ///< empty when absent
  std::string_view body;
};

inline constexpr std::string_view kJsonType = "application/json";
inline constexpr std::string_view kProblemType = "application/problem+json";
inline constexpr std::string_view kEventStreamType = "text/event-stream";

/// A body without an end, written until the client goes or the server stops.
class BodyStream {
 public:
  virtual ~BodyStream() = default;
  /// What comes next; empty: nothing now, and AnswerSink::wake tells when there is. Called on the connection's loop,
  /// once the client has taken all before: who is slow gets what is newest then, and holds up no memory.
  virtual std::string next() = 0;
};

struct Response {
  int status = 200;
  std::string_view content_type = kJsonType;  ///< static text
  std::string body;
  std::shared_ptr<const std::string> shared_body;  ///< in place of `body`: a page that many answers share
  std::shared_ptr<BodyStream> stream;              ///< in place of both; the connection ends with it
  std::string etag;                                ///< with its quotes; empty: none, and the answer must not be stored
  std::string allow;                               ///< methods, of a 405
  std::optional<std::chrono::seconds> retry_after;
  /// Called when the client was gone before the answer went out; absent: nobody needs to know. On the connection's
  /// loop, or on the thread that sent the answer.
  std::function<void()> lost;

  std::string_view content() const { return shared_body ? std::string_view(*shared_body) : std::string_view(body); }
};

/// An answer in JSON.
Response json(std::string body, int status = 200);

/// Where the answer to a connection's open request goes.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  /// From any thread.
  virtual void deliver(Response response) = 0;
  /// The stream that was delivered has more. From any thread.
  virtual void wake() = 0;
  /// `call` is called on the connection's loop, once, when nobody needs the answer to the open request any more before
  /// it is there: the client has closed its side, or the server stops. It must still be answered. Only from
  /// Handler::handle, before the answer. By default never.
  virtual void on_unwanted(std::function<void()> call) { static_cast<void>(call); }
};

/// The duty to answer one request, exactly once. Dropped without an answer, it answers 500.
class Responder {
 public:
  explicit Responder(std::shared_ptr<AnswerSink> sink) : sink_(std::move(sink)) {}
  Responder(Responder&&) noexcept = default;
  Responder& operator=(Responder&&) = delete;
  ~Responder();

  /// Answers. The second call of one responder breaks an invariant.
  void send(Response response);

  /// For a stream that is sent later, and for on_unwanted().
  const std::shared_ptr<AnswerSink>& sink() const { return sink_; }

 private:
  std::shared_ptr<AnswerSink> sink_;
};

/// Called on the server's loops, several at once: must be thread-safe and must not block.
class Handler {
 public:
  virtual ~Handler() = default;
  virtual void handle(const Request& request, Responder responder) = 0;
};

}  // namespace scoreline::http
