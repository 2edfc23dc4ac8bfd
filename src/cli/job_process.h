// One run of a worker's command for one job: the payload on its standard input, and what becomes of it.
//
// The command runs in a process group of its own, so that a signal for the worker from the terminal does not reach it,
// and ending it ends what it has started. Its standard output and error are the worker's; of its standard error the
// last line is remembered too.
//
// Thread safety: none; one thread, one process.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace scoreline::cli {

class JobProcess {
 public:
  struct Ended {
    bool succeeded = false;  ///< it exited with 0
    std::string reason;      ///< why not: its last line on standard error, or how it ended
  };
  using Variables = std::vector<std::pair<std::string, std::string>>;

  /// `command`: the program, looked for in PATH, and its arguments. `more`: variables beside those of this process.
  /// Errors: usage, when it cannot be started.
  static Result<std::unique_ptr<JobProcess>> start(const std::vector<std::string>& command, std::string input,
                                                   const Variables& more);
  /// Ends it, when it has not ended.
  ~JobProcess();
  JobProcess(const JobProcess&) = delete;
  JobProcess& operator=(const JobProcess&) = delete;

  /// Waits, for less than that when there was something to do for it meanwhile; nullopt: it has not ended yet. SIGPIPE
  /// must be ignored: it may close its input.
  std::optional<Ended> wait_for(std::chrono::milliseconds at_most);
  /// Sends a signal to all of its group.
  void signal(int number);

 private:
  JobProcess() = default;
  void feed();
  void listen();
  std::optional<Ended> ended();

  pid_t pid_ = -1;
  int exit_fd_ = -1;  // readable once it has ended
  int input_fd_ = -1, error_fd_ = -1;
  std::string input_;
  std::size_t fed_ = 0;
  std::string last_line_, line_;
};

}  // namespace scoreline::cli
