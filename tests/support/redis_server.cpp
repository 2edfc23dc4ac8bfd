#include "support/redis_server.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string_view>
#include <thread>

#include "support/loopback.h"

namespace scoreline::test {

RedisServer::RedisServer(std::string program, std::vector<std::string> options, std::string settings)
    : program_(std::move(program)), options_(std::move(options)), settings_(std::move(settings)), port_(free_port()) {
  if (!settings_.empty()) std::ofstream(folder_.path() / "settings.conf") << settings_;
  start();
}

RedisServer::~RedisServer() {
  if (pid_ > 0) crash();
}

bool RedisServer::installed(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const char* const path = std::getenv("PATH");
  for (std::string_view rest = path == nullptr ? "" : path; !rest.empty();) {
    const auto end = rest.find(':');
    if (::access((std::string(rest.substr(0, end)) + "/" + program).c_str(), X_OK) == 0) return true;
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
  }
  return false;
}

std::string RedisServer::valkey() {
  const char* const named = std::getenv("SCORELINE_VALKEY_SERVER");
  const std::string program = named != nullptr ? named : SCORELINE_TOOLS_FOLDER "/valkey/valkey-server";
  return installed(program) ? program : std::string();
}

void RedisServer::start() {
  std::vector<std::string> words = {
      program_, "--port", std::to_string(port_), "--bind", "127.0.0.1", "--dir", folder_.path().string(),
      "--save", "",       "--appendonly",        "no",     "--logfile", "log"};
  if (!settings_.empty()) words.insert(words.begin() + 1, (folder_.path() / "settings.conf").string());
  words.insert(words.end(), options_.begin(), options_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // a test that crashes leaves no server behind
    if (::getppid() != parent) ::_exit(127);
    ::execvp(argv[0], argv.data());
    ::_exit(127);
  }
  for (int tries = 0; tries < 2'000; ++tries) {
    if (answers()) return;
    if (::waitpid(pid_, nullptr, WNOHANG) != 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds{5});
  }
  throw std::runtime_error("cannot start " + program_ + ", see " + (folder_.path() / "log").string());
}

bool RedisServer::answers() const {
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = loopback(port_);
  bool pong = false;
  if (::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
      ::write(socket, "PING\r\n", 6) == 6) {
    std::array<char, 16> reply{};
    const auto size = ::read(socket, reply.data(), reply.size());
    pong = size > 0 && std::string_view(reply.data(), static_cast<std::size_t>(size)) == "+PONG\r\n";
  }
  ::close(socket);
  return pong;
}

void RedisServer::crash() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

void RedisServer::hang() const { ::kill(pid_, SIGSTOP); }
void RedisServer::resume() const { ::kill(pid_, SIGCONT); }

}  // namespace scoreline::test
