#pragma once

#include <chrono>
#include <csignal>

namespace scoreline::app {

/// SIGTERM and SIGINT. Make it before the first thread. It also ignores SIGXFSZ: a file at its size limit is then an
/// error of the write, as a full disk is.
class StopSignal {
 public:
  enum class Mode {
    /// Both signals are blocked in all threads, so that none dies of them; wait here. SIGPIPE is ignored: a client that
    /// hangs up is none of the server's ends.
    wait_for_it,
    die_of_it,  ///< as any program does: what is answered is durable already
  };
  explicit StopSignal(Mode mode);
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  /// Whether one came within `at_most`. Takes it: a second call waits for a second signal.
  bool wait_for(std::chrono::milliseconds at_most) const;
  void wait() const;

 private:
  sigset_t signals_{};
};

}  // namespace scoreline::app
