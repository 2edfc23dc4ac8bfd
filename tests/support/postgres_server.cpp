#include "support/postgres_server.h"

#include <fcntl.h>
#include <libpq-fe.h>
#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "support/loopback.h"

namespace scoreline::test {
namespace {

using namespace std::chrono_literals;

constexpr auto kStartTimeout = 60s;

/// Starts a program as another user (0: as we are) with its output in `log`; it does not outlive us.
pid_t spawn(const std::vector<std::string>& words, uid_t user, gid_t group, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  const int output = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  ::dup2(output, STDOUT_FILENO);
  ::dup2(output, STDERR_FILENO);
  if (user != 0 && (::setresgid(group, group, group) != 0 || ::setresuid(user, user, user) != 0)) ::_exit(126);
  ::prctl(PR_SET_PDEATHSIG, SIGQUIT);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

}  // namespace

std::filesystem::path PostgresServer::programs() {
  std::filesystem::path newest;
  std::error_code none;
  for (const auto& version : std::filesystem::directory_iterator("/usr/lib/postgresql", none)) {
    const auto folder = version.path() / "bin";
    if (std::filesystem::exists(folder / "postgres") && folder > newest) newest = folder;
  }
  return newest;
}

PostgresServer::PostgresServer(std::vector<std::string> settings) : settings_(std::move(settings)), port_(free_port()) {
  // Not below the current folder: the server's user may have no way there.
  std::string name = (std::filesystem::temp_directory_path() / "scoreline-postgres-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make a scratch folder " + name);
  folder_ = name;
  if (::getuid() == 0) {
    const passwd* user = ::getpwnam("postgres");
    if (user == nullptr) user = ::getpwnam("nobody");
    if (user == nullptr) throw std::runtime_error("PostgreSQL does not run as root, and there is no other user");
    user_ = user->pw_uid;
    group_ = user->pw_gid;
    if (::chown(name.c_str(), user_, group_) != 0) throw std::runtime_error("cannot give away " + name);
  }
  pid_ = spawn({programs() / "initdb", "-D", data(), "-A", "trust", "-U", "postgres", "--no-locale", "-E", "UTF8",
                "--no-sync", "--data-checksums"},
               user_, group_, folder_ / "log");
  int status = 0;
  ::waitpid(std::exchange(pid_, -1), &status, 0);
  if (status != 0) throw std::runtime_error("initdb failed: " + contents(folder_ / "log"));
  start();
}

PostgresServer::~PostgresServer() {
  if (pid_ > 0) {
    resume();
    ::kill(pid_, SIGQUIT);
    wait_for_end();
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::string PostgresServer::url(std::string_view user, std::string_view database, int port, std::string_view options) {
  std::string text = "postgresql://";
  text.append(user).append("@127.0.0.1:").append(std::to_string(port)).append("/").append(database);
  if (!options.empty()) text.append("?").append(options);
  return text;
}

std::string PostgresServer::sql(const std::string& text, std::string_view database) const {
  const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(PQconnectdb(url("postgres", database, port_).c_str()),
                                                                PQfinish);
  const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQexec(connection.get(), text.c_str()), PQclear);
  const auto status = PQresultStatus(result.get());
  if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
    throw std::runtime_error(text + ": " + PQerrorMessage(connection.get()));
  }
  return PQntuples(result.get()) > 0 ? PQgetvalue(result.get(), 0, 0) : "";
}

void PostgresServer::start() {
  std::vector<std::string> words{
      programs() / "postgres",   "-D", data(), "-p", std::to_string(port_), "-c", "listen_addresses=127.0.0.1", "-c",
      "unix_socket_directories="};
  for (const std::string& setting : settings_) words.insert(words.end(), {"-c", setting});
  pid_ = spawn(words, user_, group_, folder_ / "log");
  wait_until_ready();
}

void PostgresServer::wait_until_ready() const {
  const auto end = std::chrono::steady_clock::now() + kStartTimeout;
  while (PQping(url().c_str()) != PQPING_OK) {
    if (::waitpid(pid_, nullptr, WNOHANG) != 0 || std::chrono::steady_clock::now() > end) {
      throw std::runtime_error("PostgreSQL did not start: " + contents(folder_ / "log"));
    }
    std::this_thread::sleep_for(10ms);
  }
}

void PostgresServer::wait_for_end() { ::waitpid(std::exchange(pid_, -1), nullptr, 0); }

void PostgresServer::stop() {
  ::kill(pid_, SIGINT);
  wait_for_end();
}

void PostgresServer::crash() {
  ::kill(pid_, SIGQUIT);
  wait_for_end();
}

void PostgresServer::hang() { signal_all(SIGSTOP); }
void PostgresServer::resume() { signal_all(SIGCONT); }

void PostgresServer::signal_all(int signal) const {
  // The parent first, so that it starts no others meanwhile.
  ::kill(pid_, signal);
  std::ifstream children("/proc/" + std::to_string(pid_) + "/task/" + std::to_string(pid_) + "/children");
  for (pid_t child = 0; children >> child;) ::kill(child, signal);
}

std::string new_schema_url(const PostgresServer& server) {
  static int number = 0;
  const std::string schema = "ledger_" + std::to_string(++number);
  server.sql("CREATE SCHEMA " + schema);
  return server.url("options=-csearch_path%3D" + schema);
}

}  // namespace scoreline::test
