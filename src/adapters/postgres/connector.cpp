#include "adapters/postgres/connector.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

namespace scoreline::postgres {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstDelay{50}, kLongestDelay{2'000};
constexpr int kOldestServer = 130'000;  // pg_current_xact_id and its kin

// What needs no wait but a moment: a server that is slow to give locks should not hold a writer to its deadline, nor
// may a session of ours that hangs hold the locks of others. The server learns within half a minute that our machine is
// gone. Our plans are short: compiling them, or starting workers for them (also for the part of results_of that then
// does not run), costs more than it saves.
constexpr Statement kSetUp{
    "set_up",
    "SELECT set_config('statement_timeout', $1::text, false), set_config('lock_timeout', $2::text, false), "
    "set_config('idle_in_transaction_session_timeout', $3::text, false), set_config('jit', 'off', false), "
    "set_config('max_parallel_workers_per_gather', '0', false), set_config('tcp_keepalives_idle', '15', false), "
    "set_config('tcp_keepalives_interval', '5', false), set_config('tcp_keepalives_count', '3', false)"};

std::string in_milliseconds(milliseconds time) { return std::to_string(time.count()); }

}  // namespace

Attempt<Session> Connector::connect(Monotonic deadline, When when) {
  while (true) {
    milliseconds pause{0};
    {
      const std::lock_guard lock(mutex_);
      const Monotonic now = clock_.monotonic();
      if (failures_ > 0 && now < next_attempt_) {
        const bool patient = when == When::waiting && next_attempt_ - away_since_ < options_.patience;
        if (!patient || deadline < next_attempt_) return tl::unexpected<Failure>(last_failure_);
        pause = std::chrono::ceil<milliseconds>(next_attempt_ - now);
      }
    }
    if (pause.count() > 0) ::poll(nullptr, 0, static_cast<int>(pause.count()));
    const Monotonic began = clock_.monotonic();
    auto attempted = attempt(std::min(deadline, began + options_.connect_timeout));
    note(attempted, began);
    if (attempted || when == When::at_once) return attempted;
  }
}

void Connector::note(const Attempt<Session>& attempted, Monotonic began) {
  const std::lock_guard lock(mutex_);
  if (attempted) {
    failures_ = 0;
    return;
  }
  if (failures_ == 0) away_since_ = began;
  const milliseconds delay = std::min(kFirstDelay * (1 << std::min(failures_, 10)), kLongestDelay);
  const auto chance = static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(delay.count() / 2)));
  next_attempt_ = clock_.monotonic() + delay / 2 + milliseconds(chance);
  last_failure_ = attempted.error();
  ++failures_;
}

Attempt<Session> Connector::attempt(Monotonic deadline) {
  auto session = Session::open(url_, clock_, deadline);
  if (session) {
    if (auto ready = set_up(*session, deadline); !ready) session = tl::unexpected<Failure>(ready.error());
  }
  if (!session) {
    Failure& failure = session.error();
    failure.message = fmt::format("cannot connect to {}: {}", url_.description(), failure.message);
    failure.may_be_kept = false;
  }
  return session;
}

Attempt<void> Connector::set_up(Session& session, Monotonic deadline) {
  if (session.server_version() < kOldestServer) {
    return tl::unexpected<Failure>(Failure{"0A000", "PostgreSQL 13 or later is needed", false, false});
  }
  Call call{&kSetUp, {}};
  call.parameters.add(in_milliseconds(options_.timeout * 4 / 5))
      .add(in_milliseconds(options_.timeout / 2))
      .add(in_milliseconds(options_.bulk_timeout));
  if (auto set = session.run(call, deadline); !set) return tl::unexpected<Failure>(set.error());
  return {};
}

}  // namespace scoreline::postgres
