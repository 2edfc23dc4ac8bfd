#include "http/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/limits.h"
#include "http/json_text.h"
#include "http/problem.h"

namespace scoreline::http {
namespace {

constexpr std::size_t kFirstBufferBytes = 4096;
constexpr std::size_t kMinReadBytes = 1024;
/// A buffer up to this size is free of the body budget, and is kept for the next request.
constexpr std::size_t kKeptBufferBytes = 64 * 1024;
constexpr std::size_t kMaxBufferBytes = kMaxHeaderBytes + kMaxBodyBytes + 64 * 1024;
/// Pipelined requests wait while this much of the answers has not been sent.
constexpr std::size_t kMaxOutputBytes = 256 * 1024;

std::string_view reason(int status) {
  switch (status) {
    case 200: return "200 OK";
    case 201: return "201 Created";
    case 204: return "204 No Content";
    case 304: return "304 Not Modified";
    case 400: return "400 Bad Request";
    case 404: return "404 Not Found";
    case 405: return "405 Method Not Allowed";
    case 408: return "408 Request Timeout";
    case 409: return "409 Conflict";
    case 413: return "413 Content Too Large";
    case 414: return "414 URI Too Long";
    case 415: return "415 Unsupported Media Type";
    case 422: return "422 Unprocessable Content";
    case 431: return "431 Request Header Fields Too Large";
    case 500: return "500 Internal Server Error";
    case 503: return "503 Service Unavailable";
    case 507: return "507 Insufficient Storage";
    default: return "";
  }
}

constexpr std::string_view kSecurityHeaders =
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: default-src 'self'\r\n";

}  // namespace

Session::Session(Handler& handler, const Deadlines& deadlines, BodyBudget& budget, const LoopState& loop)
    : handler_(handler), deadlines_(deadlines), budget_(budget), loop_(loop), buffer_(kFirstBufferBytes) {
  enter(Phase::idle);
}

Session::~Session() { give_back(); }

bool Session::wants_bytes() const {
  return !waiting_ && !stream_ && !closing_ && !ended_ && output().size() < kMaxOutputBytes;
}

std::span<char> Session::space() {
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (buffer_.size() > kKeptBufferBytes) give_back();
  }
  if (buffer_.size() - end_ < kMinReadBytes && begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < kMinReadBytes && !grow()) {
    refuse(Error{Code::overloaded, "too many large requests are open; try again", {}, {}});
    return {};
  }
  return {buffer_.data() + end_, buffer_.size() - end_};
}

void Session::received(std::size_t size) {
  end_ += size;
  process();
}

void Session::ended() {
  ended_ = true;
  if (!waiting_) closing_ = true;
}

void Session::answered(Response response) {
  SCORELINE_CHECK(waiting_);
  waiting_ = false;
  if (response.stream) keep_alive_ = false;  // only the end of the connection ends such a body
  append(response);
  if (response.lost) told_when_lost_.push_back(std::move(response.lost));
  if (response.stream && !head_only_ && !draining_) {
    stream_ = std::move(response.stream);
    return settle_phase();
  }
  if (!keep_alive_ || draining_ || ended_) {
    closing_ = true;
    lingers_ = !ended_;
  }
  process();
}

void Session::woken() { pump(); }

void Session::pump() {
  if (!stream_ || !output().empty()) return;
  output_ = stream_->next();
  sent_ = 0;
  if (!output_.empty()) enter(Phase::streaming);
}

void Session::process() {
  if (processing_) return;  // called from under the handler: the loop below goes on when it returns
  processing_ = true;
  while (!waiting_ && !stream_ && !closing_ && begin_ != end_ && output().size() < kMaxOutputBytes) {
    const RequestParser::Step step = parser_.parse(unread());
    if (step == RequestParser::Step::failed) {
      refuse(parser_.error());
    } else if (step == RequestParser::Step::complete) {
      handle_request();
    } else {
      if (parser_.wants_continue() && !std::exchange(continue_sent_, true)) output_ += "HTTP/1.1 100 Continue\r\n\r\n";
      break;
    }
  }
  processing_ = false;
  settle_phase();
}

void Session::handle_request() {
  Request request = parser_.request(unread());
  head_only_ = request.method == Method::head;
  keep_alive_ = parser_.keep_alive();
  waiting_ = true;
  // The answer may come before handle returns; processing_ keeps it from reading the next request under this one.
  handler_.handle(request, Responder(sink_));
  begin_ += parser_.size();
  parser_.reset();
  continue_sent_ = false;
  if (begin_ == end_ && buffer_.size() > kKeptBufferBytes) give_back();
}

void Session::refuse(const Error& error) {
  // The stream cannot be trusted any more: whatever follows is not looked at.
  head_only_ = false;
  keep_alive_ = false;
  append(problem(error));
  closing_ = true;
  lingers_ = true;
}

void Session::append(const Response& response) {
  std::string& out = output_;
  if (sent_ == out.size()) {
    out.clear();
    sent_ = 0;
  }
  out += "HTTP/1.1 ";
  const std::string_view known = reason(response.status);
  if (known.empty()) {
    append_number(out, response.status);
    out += " Status";
  } else {
    out += known;
  }
  out += "\r\n";
  out += loop_.date_header;
  const std::string_view content = response.content();
  if (response.status != 304) {
    out += "Content-Type: ";
    out += response.content_type;
    out += "\r\n";
  }
  if (response.stream) {
    out += "X-Accel-Buffering: no\r\n";  // nginx would keep events back
  } else if (response.status != 304) {
    out += "Content-Length: ";
    append_number(out, content.size());
    out += "\r\n";
  }
  if (response.etag.empty()) {
    out += "Cache-Control: no-store\r\n";
  } else {
    out += "Cache-Control: no-cache\r\nETag: ";
    out += response.etag;
    out += "\r\n";
  }
  if (!response.allow.empty()) {
    out += "Allow: ";
    out += response.allow;
    out += "\r\n";
  }
  if (response.retry_after) {
    out += "Retry-After: ";
    append_number(out, response.retry_after->count());
    out += "\r\n";
  }
  if (!keep_alive_ || draining_ || ended_) out += "Connection: close\r\n";
  out += kSecurityHeaders;
  out += "\r\n";
  if (!head_only_ && response.status != 304) out += content;
}

void Session::sent(std::size_t size) {
  sent_ += size;
  if (sent_ < output_.size()) return;
  output_.clear();
  sent_ = 0;
  told_when_lost_.clear();
  if (output_.capacity() > kMaxOutputBytes) output_.shrink_to_fit();
  if (phase_ == Phase::writing) settle_phase();
  pump();
  process();  // what was pipelined may have waited for this
}

void Session::lost() {
  for (const auto& tell : std::exchange(told_when_lost_, {})) tell();
}

void Session::blocked() {
  if (phase_ != Phase::writing) enter(Phase::writing);
}

void Session::drain() {
  draining_ = true;
  if (stream_) {
    stream_.reset();
    closing_ = true;
  }
  if (!waiting_ && begin_ == end_) closing_ = true;
}

void Session::linger() { enter(Phase::lingering); }

bool Session::expired() const { return phase_ != Phase::answering && loop_.now >= phase_ends_; }

void Session::time_out() {
  if (phase_ == Phase::head || phase_ == Phase::body) {
    refuse(Error{Code::timed_out,
                 phase_ == Phase::head ? "the header was not whole in time" : "the body was not whole in time",
                 {},
                 {}});
    enter(Phase::writing);
    return;
  }
  if (phase_ == Phase::streaming) {
    output_ = ":\n\n";
    sent_ = 0;
    enter(Phase::streaming);
    return;
  }
  if (phase_ == Phase::writing || phase_ == Phase::lingering) {
    output_.clear();
    sent_ = 0;
  }
  lingers_ = false;
  closing_ = true;
}

void Session::enter(Phase phase) {
  phase_ = phase;
  const auto allowed = [&]() -> std::chrono::milliseconds {
    switch (phase) {
      case Phase::idle: return deadlines_.idle;
      case Phase::head: return deadlines_.head;
      case Phase::body: return deadlines_.body;
      case Phase::answering: return {};
      case Phase::writing: return deadlines_.write;
      case Phase::streaming: return deadlines_.heartbeat;
      case Phase::lingering: return deadlines_.linger;
    }
    return {};
  };
  phase_ends_ = loop_.now + allowed();
}

void Session::settle_phase() {
  if (phase_ == Phase::lingering || (phase_ == Phase::writing && !output().empty())) return;
  Phase now = Phase::idle;
  if (stream_) {
    now = Phase::streaming;
  } else if (waiting_) {
    now = Phase::answering;
  } else if (begin_ != end_) {
    now = parser_.in_body() ? Phase::body : Phase::head;
  }
  // Idle begins anew with each request; a head or a body keeps the deadline it began with.
  if (now != phase_ || now == Phase::idle) enter(now);
}

bool Session::grow() {
  std::size_t wanted = buffer_.size() * 2;
  if (parser_.expected_size() > end_) wanted = std::min(wanted, parser_.expected_size());
  wanted = std::max(wanted, end_ + kMinReadBytes);
  SCORELINE_CHECK(wanted <= 2 * kMaxBufferBytes);
  if (wanted > kKeptBufferBytes) {
    const std::size_t charged = buffer_.size() > kKeptBufferBytes ? buffer_.size() : 0;
    if (budget_.used.fetch_add(wanted - charged) + wanted - charged > budget_.limit) {
      budget_.used.fetch_sub(wanted - charged);
      return false;
    }
  }
  buffer_.resize(wanted);
  return true;
}

void Session::give_back() {
  if (buffer_.size() <= kKeptBufferBytes) return;
  budget_.used.fetch_sub(buffer_.size());
  buffer_ = std::vector<char>(kFirstBufferBytes);
  begin_ = end_ = 0;
}

}  // namespace scoreline::http
