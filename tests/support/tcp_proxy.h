// A proxy on 127.0.0.1 between a client and a server, to lose what one says to the other.
//
// Thread safety: all calls from any thread; it has a thread of its own.
#pragma once

#include <atomic>
#include <thread>
#include <vector>

namespace scoreline::test {

class TcpProxy {
 public:
  explicit TcpProxy(int server_port);
  ~TcpProxy();
  TcpProxy(const TcpProxy&) = delete;
  TcpProxy& operator=(const TcpProxy&) = delete;

  int port() const { return port_; }

  enum class Mode {
    pass,
    mute,  ///< the server hears everything, its answers are lost
    hold,  ///< nothing goes on in either direction
  };
  void set(Mode mode) { mode_ = mode; }
  /// Breaks all connections (RST).
  void reset() { reset_ = true; }
  /// Bytes of the server that were lost.
  std::size_t lost() const { return lost_; }

 private:
  struct Pair {
    int client, server;
  };
  void run();
  void accept_one();
  /// False when the connection has ended.
  bool move(int from, int to, bool answers);
  static void close(const Pair& pair, bool reset);

  int listener_ = -1, port_ = 0, server_port_;
  std::atomic<Mode> mode_{Mode::pass};
  std::atomic<bool> reset_{false}, ending_{false};
  std::atomic<std::size_t> lost_{0};
  std::vector<Pair> pairs_;  // of the thread only
  std::thread thread_;
};

}  // namespace scoreline::test
