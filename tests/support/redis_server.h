// A real Redis or Valkey server for one test program: in a scratch folder, on a free port of 127.0.0.1, stopped by its
// process id.
//
// Thread safety: none.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "support/scratch_folder.h"

namespace scoreline::test {

class RedisServer {
 public:
  /// `program`: of Redis or Valkey, found through PATH. `options` as on its command line. `settings`, when there are
  /// any, stand in a file that the server may write (sentinels do). Throws std::runtime_error when it does not start.
  explicit RedisServer(std::string program = "redis-server", std::vector<std::string> options = {},
                       std::string settings = {});
  ~RedisServer();
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  /// Whether the program is there to be run.
  static bool installed(const std::string& program);
  /// The one that SCORELINE_VALKEY_SERVER names, else the one of `./dev setup test`. Empty: there is none.
  static std::string valkey();

  int port() const { return port_; }
  /// Of the scratch folder, which is also where dumps go.
  const std::filesystem::path& folder() const { return folder_.path(); }

  void start();  ///< again, at the same port, with what was saved
  void crash();  ///< SIGKILL
  void hang() const;
  void resume() const;

 private:
  bool answers() const;

  std::string program_;
  std::vector<std::string> options_;
  std::string settings_;
  ScratchFolder folder_;
  int port_ = 0;
  pid_t pid_ = 0;
};

}  // namespace scoreline::test
