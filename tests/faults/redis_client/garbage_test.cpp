// A peer that is no Redis, or one that says too much.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>

#include "faults/redis_client/client_fixture.h"

namespace scoreline::redis {
namespace {

/// Listens on 127.0.0.1 and answers whatever comes with one text.
class FakeServer {
 public:
  explicit FakeServer(std::string answer)
      : answer_(std::move(answer)), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    port_ = test::bind_to_free_port(listener_);
    ::listen(listener_, 8);
    thread_ = std::thread([this] { serve(); });
  }
  ~FakeServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
  }
  int port() const { return port_; }
  int answered() const { return answered_; }

 private:
  void serve() {
    for (;;) {
      const int peer = ::accept(listener_, nullptr, nullptr);
      if (peer < 0) return;
      std::array<char, 4096> bytes{};
      while (::recv(peer, bytes.data(), bytes.size(), 0) > 0) {
        ++answered_;
        if (::send(peer, answer_.data(), answer_.size(), MSG_NOSIGNAL) < 0) break;
      }
      ::close(peer);
    }
  }

  std::string answer_;
  int listener_;
  int port_ = 0;
  std::atomic<int> answered_ = 0;
  std::thread thread_;
};

class RedisClientGarbage : public ClientTest {};

TEST_F(RedisClientGarbage, IsAnErrorAndNeverAnAnswer) {
  const std::string six_nils = "+OK\r\n+OK\r\n$-1\r\n$-1\r\n$-1\r\n";
  const std::array<std::string, 9> answers = {"HTTP/1.1 400 Bad Request\r\n\r\n",
                                              std::string("\0\0\0\0", 4),
                                              "*2147483647\r\n",
                                              "$2147483647\r\nx",
                                              "*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n",
                                              "$-2\r\n",
                                              ":12abc\r\n:",
                                              six_nils,
                                              "*0\r\n*0\r\n*0\r\n*0\r\n*0\r\n"};
  for (const auto& answer : answers) {
    FakeServer server(answer);
    const auto client =
        client_of("redis://127.0.0.1:" + std::to_string(server.port()), {.deadline = std::chrono::milliseconds{300}});
    EXPECT_CODE(Code::storage_failed, run(*client, "GET a"));
    EXPECT_GT(server.answered(), 0);
  }
}

TEST_F(RedisClientGarbage, AnswersThatNobodyAskedForCloseTheConnection) {
  const std::string login = "+OK\r\n+OK\r\n$17\r\nrun_id:abcdef01\r\n\r\n$0\r\n\r\n$0\r\n\r\n";
  FakeServer server(login);
  const auto client = client_of("redis://127.0.0.1:" + std::to_string(server.port()));
  // Let in, as the five answers fit; then five answers come to one question.
  EXPECT_EQ(client->server_of("a").value().run_id, "abcdef01");
  const auto reply = run(*client, "GET a");
  EXPECT_EQ(said(reply).find(reply ? "OK" : "unknown_outcome"), 0U) << said(reply);
  const int before = server.answered();
  (void)run(*client, "GET a");
  EXPECT_GE(server.answered(), before + 2);  // it logged in anew
}

TEST_F(RedisClientGarbage, NobodyThereIsAnError) {
  const auto client = client_of("redis://127.0.0.1:" + std::to_string(test::free_port()));
  EXPECT_CODE(Code::storage_failed, run(*client, "GET a"));
  EXPECT_CODE(Code::storage_failed, run(*client_of("redis://no-such-host.invalid"), "GET a"));
}

}  // namespace
}  // namespace scoreline::redis
