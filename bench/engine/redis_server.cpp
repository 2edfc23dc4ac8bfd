#include "redis_server.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace scoreline::bench {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "bench_engine: %s\n", why.c_str());
  std::exit(1);
}

int connect_to(const std::string& path) {
  const int socket = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof(address.sun_path) - 1);
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) return socket;
  ::close(socket);
  return -1;
}

}  // namespace

void Pipeline::begin(std::size_t words) {
  bytes_ += '*' + std::to_string(words) + "\r\n";
  ++commands_;
}

void Pipeline::word(std::string_view text) {
  bytes_ += '$' + std::to_string(text.size()) + "\r\n";
  bytes_.append(text).append("\r\n");
}

void Pipeline::add(std::initializer_list<std::string_view> words) {
  begin(words.size());
  for (const std::string_view text : words) word(text);
}

RedisServer::RedisServer(const std::string& program) {
  std::string pattern = (std::filesystem::temp_directory_path() / "bench_engine.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) give_up("cannot make a scratch folder");
  folder_ = pattern;
  const std::string path = folder_ + "/redis.sock";
  pid_ = ::fork();
  if (pid_ == 0) {
    const int nowhere = ::open("/dev/null", O_RDWR);
    ::dup2(nowhere, STDOUT_FILENO);
    ::execlp(program.c_str(), program.c_str(), "--port", "0", "--unixsocket", path.c_str(), "--save", "",
             "--appendonly", "no", "--dir", folder_.c_str(), "--daemonize", "no", nullptr);
    ::_exit(127);
  }
  for (int tries = 0; tries < 500 && socket_ < 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0; ++tries) {
    ::usleep(20'000);
    socket_ = connect_to(path);
  }
}

RedisServer::~RedisServer() {
  if (socket_ >= 0) {
    ::close(socket_);
    ::kill(pid_, SIGKILL);  // nothing to keep, and it would free millions of nodes one by one
    ::waitpid(pid_, nullptr, 0);
  }
  std::filesystem::remove_all(folder_);
}

void RedisServer::receive() {
  char part[1 << 16];
  const ssize_t bytes = ::recv(socket_, part, sizeof(part), 0);
  if (bytes <= 0) give_up("redis-server has gone");
  if (taken_ == incoming_.size()) {
    incoming_.clear();
    taken_ = 0;
  }
  incoming_.append(part, static_cast<std::size_t>(bytes));
}

std::string RedisServer::take_line() {
  std::size_t end = 0;
  while ((end = incoming_.find("\r\n", taken_)) == std::string::npos) receive();
  std::string line = incoming_.substr(taken_, end - taken_);
  taken_ = end + 2;
  return line;
}

/// The next reply: its integer, or the text of a bulk string in `text`. Arrays are taken whole.
std::int64_t RedisServer::take_reply(std::string* text) {
  const std::string line = take_line();
  if (line[0] == '-') give_up("redis-server says " + line);
  std::int64_t number = 0;
  std::from_chars(line.data() + 1, line.data() + line.size(), number);
  if (line[0] == ':') return number;
  if (line[0] == '$' && number >= 0) {
    const auto length = static_cast<std::size_t>(number);
    while (incoming_.size() < taken_ + length + 2) receive();
    if (text != nullptr) *text = incoming_.substr(taken_, length);
    taken_ += length + 2;
  }
  if (line[0] == '*') {
    for (std::int64_t i = 0; i < number; ++i) take_reply(nullptr);
  }
  return 0;
}

std::vector<std::int64_t> RedisServer::run(const Pipeline& pipeline) {
  std::vector<std::int64_t> replies;
  replies.reserve(pipeline.commands());
  const std::string& bytes = pipeline.bytes();
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    pollfd ready{socket_, POLLIN | POLLOUT, 0};
    ::poll(&ready, 1, -1);
    if ((ready.revents & POLLIN) != 0) receive();
    if ((ready.revents & POLLOUT) == 0) continue;
    const ssize_t now = ::send(socket_, bytes.data() + sent, bytes.size() - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (now < 0 && errno != EAGAIN) give_up("redis-server has gone");
    if (now > 0) sent += static_cast<std::size_t>(now);
  }
  while (replies.size() < pipeline.commands()) replies.push_back(take_reply(nullptr));
  return replies;
}

std::string RedisServer::ask(std::initializer_list<std::string_view> words) {
  Pipeline pipeline;
  pipeline.add(words);
  if (::send(socket_, pipeline.bytes().data(), pipeline.bytes().size(), MSG_NOSIGNAL) < 0) give_up("cannot send");
  std::string text;
  take_reply(&text);
  return text;
}

double RedisServer::cpu_seconds() const {
  const std::string path = "/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/schedstat";
  std::FILE* const file = std::fopen(path.c_str(), "r");
  unsigned long long ran_ns = 0;
  if (file == nullptr || std::fscanf(file, "%llu", &ran_ns) != 1) give_up("cannot read " + path);
  std::fclose(file);
  return static_cast<double>(ran_ns) * 1e-9;
}

}  // namespace scoreline::bench
