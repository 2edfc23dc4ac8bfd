// Over sockets: HTTP, beanstalkd's protocol, and bare Redis commands as the article has them.
#include <fmt/format.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>
#include <thread>
#include <vector>

#include "adapters/redis/connection.h"
#include "queue/sessions.h"
#include "support/loopback.h"

namespace scoreline::bench {
namespace {

constexpr std::chrono::milliseconds kIdle{2};

class Wire {
 public:
  explicit Wire(int port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const int on = 1;
    const sockaddr_in address = test::loopback(port);
    ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    if (::connect(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) give_up("cannot connect");
  }
  ~Wire() { ::close(fd_); }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;

  void send(std::string_view text) {
    while (!text.empty()) {
      const auto sent = ::send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent <= 0) give_up("the connection broke");
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  /// Up to and with `end`; lives until the next call.
  std::string_view read_until(std::string_view end) {
    drop_used();
    std::size_t at = 0;
    while ((at = buffer_.find(end)) == std::string::npos) receive();
    used_ = at + end.size();
    return std::string_view(buffer_).substr(0, used_);
  }
  std::string_view read(std::size_t bytes) {
    drop_used();
    while (buffer_.size() < bytes) receive();
    used_ = bytes;
    return std::string_view(buffer_).substr(0, bytes);
  }

 private:
  void drop_used() {
    buffer_.erase(0, used_);
    used_ = 0;
  }
  void receive() {
    char bytes[64 * 1024];
    const auto got = ::recv(fd_, bytes, sizeof(bytes), 0);
    if (got <= 0) give_up("the connection broke");
    buffer_.append(bytes, static_cast<std::size_t>(got));
  }

  const int fd_;
  std::string buffer_;
  std::size_t used_ = 0;
};

class OverHttp final : public Session {
 public:
  OverHttp(int port, std::string queue) : wire_(port), queue_(std::move(queue)) {}

  void put(std::size_t first, std::size_t jobs) override {
    std::string body = jobs > 1 ? R"({"jobs":[)" : "";
    for (std::size_t i = 0; i < jobs; ++i) {
      if (i > 0) body += ',';
      body += fmt::format(R"({{"id":"{}","payload":"{}"}})", job_id(first + i), kPayload);
    }
    if (jobs > 1) body += "]}";
    ask("/jobs", body);
  }

  std::size_t work(std::size_t jobs) override {
    const std::string_view taken = ask(":take", fmt::format(R"({{"max":{},"wait":"50ms","lease":"60s"}})", jobs));
    std::vector<std::string> held;
    for (std::size_t at = 0; (at = taken.find(R"("id":")", at)) != std::string_view::npos;) {
      const std::string_view id = text_at(taken, at + 6);
      at = taken.find(R"("receipt":")", at);
      if (at == std::string_view::npos) give_up("a job without a receipt");
      held.push_back(fmt::format(R"({{"id":"{}","receipt":"{}"}})", id, text_at(taken, at + 11)));
    }
    if (!held.empty()) ask(":ack", fmt::format(R"({{"jobs":[{}]}})", fmt::join(held, ",")));
    return held.size();
  }

 private:
  static std::string_view text_at(std::string_view text, std::size_t at) {
    return text.substr(at, text.find('"', at) - at);
  }

  std::string_view ask(std::string_view path, std::string_view body) {
    wire_.send(fmt::format(
        "POST /v1/queues/{}{} HTTP/1.1\r\nHost: l\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{}",
        queue_, path, body.size(), body));
    const std::string_view head = wire_.read_until("\r\n\r\n");
    const bool good = head.substr(9, 1) == "2";
    std::size_t at = head.find("Content-Length: ");
    if (at == std::string_view::npos) give_up("an answer without a length");
    at += 16;
    std::size_t length = 0;
    std::from_chars(head.data() + at, head.data() + head.size(), length);
    const std::string_view answer = wire_.read(length);
    if (!good) give_up(std::string(answer));
    return answer;
  }

  Wire wire_;
  const std::string queue_;
};

class OverBeanstalkd final : public Session {
 public:
  explicit OverBeanstalkd(int port) : wire_(port) {}

  void put(std::size_t, std::size_t jobs) override {
    std::string text;
    for (std::size_t i = 0; i < jobs; ++i)
      text += fmt::format("put 5 0 60 {}\r\n{}\r\n", sizeof(kPayload) - 1, kPayload);
    wire_.send(text);
    for (std::size_t i = 0; i < jobs; ++i) expect("INSERTED");
  }

  std::size_t work(std::size_t jobs) override {
    std::string text;
    for (std::size_t i = 0; i < jobs; ++i) text += "reserve-with-timeout 0\r\n";
    wire_.send(text);
    text.clear();
    std::size_t held = 0;
    for (std::size_t i = 0; i < jobs; ++i) {
      const std::string line(wire_.read_until("\r\n"));
      if (line.starts_with("TIMED_OUT")) continue;
      if (!line.starts_with("RESERVED ")) give_up("beanstalkd says " + line);
      text += "delete " + line.substr(9, line.find(' ', 9) - 9) + "\r\n";
      wire_.read_until("\r\n");
      ++held;
    }
    if (held == 0) std::this_thread::sleep_for(kIdle);
    if (held > 0) wire_.send(text);
    for (std::size_t i = 0; i < held; ++i) expect("DELETED");
    return held;
  }

 private:
  void expect(std::string_view word) {
    const std::string_view line = wire_.read_until("\r\n");
    if (!line.starts_with(word)) give_up("beanstalkd says " + std::string(line));
  }

  Wire wire_;
};

/// A sorted set, a hash of jobs and a processing set: what one writes without scripts. It loses what is popped by who
/// dies before ZADD; ours does not.
class OverRedis final : public Session {
 public:
  explicit OverRedis(int port) {
    const redis::Endpoint at{"127.0.0.1", static_cast<std::uint16_t>(port)};
    auto opened = redis::Connection::open(at, {}, clock_, until());
    if (!opened) give_up(opened.error().detail);
    connection_ = *std::move(opened);
  }

  void put(std::size_t first, std::size_t jobs) override {
    std::vector<std::string> order = {"ZADD", "queue:bare"}, payloads = {"HSET", "queue:bare:jobs"};
    for (std::size_t i = first; i < first + jobs; ++i) {
      order.push_back(std::to_string(50'000'000'000'000 + i));
      order.push_back(job_id(i));
      payloads.push_back(job_id(i));
      payloads.push_back(kPayload);
    }
    ask({payloads, order});
  }

  std::size_t work(std::size_t jobs) override {
    const auto popped = ask({{"ZPOPMIN", "queue:bare", std::to_string(jobs)}}).front().elements;
    if (popped.empty()) {
      std::this_thread::sleep_for(kIdle);
      return 0;
    }
    std::vector<std::string> held = {"ZADD", "queue:bare:held"}, read = {"HMGET", "queue:bare:jobs"};
    std::vector<std::string> end = {"ZREM", "queue:bare:held"}, forget = {"HDEL", "queue:bare:jobs"};
    const std::string until_ms = std::to_string(clock_.now().ms + 60'000);
    for (std::size_t i = 0; i < popped.size(); i += 2) {
      held.push_back(until_ms);
      for (auto* const words : {&held, &read, &end, &forget}) words->push_back(popped[i].text);
    }
    ask({held, read});
    ask({end, forget});
    return popped.size() / 2;
  }

 private:
  Monotonic until() const { return clock_.monotonic() + std::chrono::seconds{10}; }

  std::vector<redis::Reply> ask(const std::vector<std::vector<std::string>>& commands) {
    std::string wire;
    for (const auto& words : commands) {
      redis::append_command_of(wire, words.size());
      for (const std::string& word : words) redis::append_word(wire, word);
    }
    std::vector<redis::Reply> replies;
    const auto done = connection_->exchange(wire, commands.size(), replies, until());
    if (!done) give_up(done.error().detail);
    for (const redis::Reply& reply : replies) {
      if (reply.kind == redis::Reply::Kind::error) give_up(reply.text);
    }
    return replies;
  }

  SystemClock clock_;
  std::unique_ptr<redis::Connection> connection_;
};

}  // namespace

NewSession socket_sessions(const std::string& kind, const std::string& where) {
  const int port = std::atoi(where.c_str());
  if (kind == "beanstalkd") return [port] { return std::make_unique<OverBeanstalkd>(port); };
  if (kind == "redis") return [port] { return std::make_unique<OverRedis>(port); };
  const std::string queue = where.substr(std::min(where.size(), where.find('/') + 1));
  if (kind == "http") return [port, queue] { return std::make_unique<OverHttp>(port, queue); };
  return nullptr;
}

}  // namespace scoreline::bench
