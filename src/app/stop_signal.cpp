#include "app/stop_signal.h"

#include <pthread.h>

#include <cerrno>
#include <ctime>

namespace scoreline::app {

StopSignal::StopSignal(Mode mode) {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGINT);
  static_cast<void>(std::signal(SIGXFSZ, SIG_IGN));
  if (mode == Mode::die_of_it) return;
  static_cast<void>(std::signal(SIGPIPE, SIG_IGN));
  pthread_sigmask(SIG_BLOCK, &signals_, nullptr);
}

bool StopSignal::wait_for(std::chrono::milliseconds at_most) const {
  timespec time{};
  time.tv_sec = at_most.count() / 1'000;
  time.tv_nsec = at_most.count() % 1'000 * 1'000'000;
  return sigtimedwait(&signals_, nullptr, &time) > 0;
}

void StopSignal::wait() const {
  int signal = 0;
  while (sigwait(&signals_, &signal) != 0) {
  }
}

}  // namespace scoreline::app
