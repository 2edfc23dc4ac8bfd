// A real PostgreSQL server for one test program: a new cluster in a scratch folder, on a free port of 127.0.0.1, as an
// unprivileged user when the tests run as root, stopped by its process id.
//
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace scoreline::test {

class PostgresServer {
 public:
  /// With data checksums; `settings` as `name=value`. Throws std::runtime_error when it does not start.
  explicit PostgresServer(std::vector<std::string> settings = {});
  ~PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;

  /// Where the server's programs are; empty when PostgreSQL is not installed.
  static std::filesystem::path programs();

  int port() const { return port_; }
  std::filesystem::path data() const { return folder_ / "data"; }
  /// `options` as they stand behind the `?`; the superuser `postgres` needs no password.
  std::string url(std::string_view options = {}) const { return url("postgres", "postgres", port_, options); }
  static std::string url(std::string_view user, std::string_view database, int port, std::string_view options = {});

  /// Runs SQL as the superuser; the first value of the last result. Throws std::runtime_error.
  std::string sql(const std::string& text, std::string_view database = "postgres") const;

  void start();
  void stop();   ///< in order, with a checkpoint
  void crash();  ///< as `immediate`: no farewell to commits, recovery at the next start
  void hang();   ///< SIGSTOP to all of its processes
  void resume();

 private:
  void signal_all(int signal) const;
  void wait_until_ready() const;
  void wait_for_end();

  std::vector<std::string> settings_;
  std::filesystem::path folder_;
  uid_t user_ = 0;  ///< 0: ours
  gid_t group_ = 0;
  int port_ = 0;
  pid_t pid_ = -1;
};

/// An empty schema in the server's database `postgres`, for one ledger; the URL that leads there.
std::string new_schema_url(const PostgresServer& server);

}  // namespace scoreline::test
