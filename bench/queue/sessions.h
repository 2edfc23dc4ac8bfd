// One connection, or one caller, of a store of jobs that is measured.
//
// Thread safety: a session belongs to one thread. What goes wrong ends the program.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace scoreline::bench {

class Session {
 public:
  virtual ~Session() = default;
  /// Puts in `jobs` jobs of priority 5 with ten bytes of payload, numbered from `first` on, and waits until that holds.
  virtual void put(std::size_t first, std::size_t jobs) = 0;
  /// Takes up to `jobs` jobs under a lease and acknowledges them; how many. Waits a little when there is none.
  virtual std::size_t work(std::size_t jobs) = 0;
};

using NewSession = std::function<std::unique_ptr<Session>()>;

/// `kind`: http, beanstalkd or redis (bare commands) at a port of this machine; of http, `where` is a port and the name
/// of a queue: `8080/mail`. Nothing for another kind.
NewSession socket_sessions(const std::string& kind, const std::string& where);
/// Our store over the Redis at that port.
NewSession redis_store_sessions(const std::string& port);
/// Our store in this process, over SQLite in the folder `where`; without a folder in memory alone.
NewSession library_sessions(const std::string& where);

inline constexpr char kPayload[] = "0123456789";
std::string job_id(std::size_t number);
[[noreturn]] void give_up(const std::string& why);

}  // namespace scoreline::bench
