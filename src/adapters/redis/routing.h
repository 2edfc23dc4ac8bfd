// Which node a command goes to: where the kinds of URL differ, and all in which they do.
//
// Thread safety: all calls from any thread.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>

#include "adapters/redis/client.h"
#include "adapters/redis/connection_pipeline.h"
#include "adapters/redis/reply_errors.h"
#include "adapters/redis/url.h"

namespace scoreline::redis {

using Node = std::shared_ptr<ConnectionPipeline>;

class Router {
 public:
  virtual ~Router() = default;
  /// An empty key: any node. Errors: storage_failed, not_ready, with retry_after.
  virtual Result<Node> node_of(std::string_view key, Deadline deadline) = 0;
  /// `node` failed, or is no longer what it was: node_of looks again.
  virtual void doubt(const Node& node) = 0;
  /// The node that `from` sends us to, with MOVED (`for_good`) or ASK; none where there is no cluster.
  virtual Node redirect(const Redirect& redirect, bool for_good, const Node& from) = 0;
};

std::unique_ptr<Router> make_standalone(const Url& url, const Login& login, const ClientOptions& options,
                                        const Clock& clock, Random& random);
std::unique_ptr<Router> make_sentinel(const Url& url, const Login& login, const ClientOptions& options,
                                      const Clock& clock, Random& random);
std::unique_ptr<Router> make_cluster(const Url& url, const Login& login, const ClientOptions& options,
                                     const Clock& clock, Random& random);

/// How long a node is believed to be the right one without somebody else saying so: one that hung, or was cut off,
/// while another took over does not know it when it is back, and would show what it had. One caller asks again, the
/// others go on meanwhile.
inline constexpr std::chrono::milliseconds kNodeIsBelieved{1'000};

/// When it is worth trying again after everything known was tried.
inline constexpr std::chrono::milliseconds kRetryWhenLost{500};

/// Looking again at where the nodes are: one caller at a time, not more often than every 100 ms; the others wait for
/// what it finds.
class Lookout {
 public:
  explicit Lookout(const Clock& clock) : clock_(clock) {}

  template <typename Look>
  void look(Monotonic until, Look look_now) {
    if (!begin(until)) return;
    struct End {
      Lookout& lookout;
      ~End() { lookout.end(); }
    } const end_of_scope{*this};
    look_now();
  }

 private:
  bool begin(Monotonic until);
  void end();

  const Clock& clock_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool busy_ = false;
  std::optional<Monotonic> last_;
};

}  // namespace scoreline::redis
