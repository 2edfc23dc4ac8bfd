#include "adapters/redis/subscription.h"

#include <algorithm>
#include <utility>

namespace scoreline::redis {
namespace {

/// How long the node may be silent until it is asked, and until it is given up.
constexpr std::chrono::milliseconds kAskAfter{1'000};
constexpr std::chrono::milliseconds kGiveUpAfter{3'000};

class OpenSubscription final : public Subscription {
 public:
  OpenSubscription(std::unique_ptr<Connection> connection, const Clock& clock)
      : connection_(std::move(connection)), clock_(clock), heard_(clock.monotonic()) {}

  Result<std::optional<std::string>> next(Monotonic until) override {
    for (;;) {
      const Monotonic wake = std::min(until, heard_ + (asked_ ? kGiveUpAfter : kAskAfter));
      auto reply = connection_->listen(wake);
      if (!reply) return fail(std::move(reply).error());
      if (*reply) {
        heard_ = clock_.monotonic();
        asked_ = false;
        auto& parts = (*reply)->elements;
        if (parts.size() == 3 && parts[0].text == "message") return std::move(parts[2].text);
        continue;
      }
      if (const auto kept = keep(); !kept) return fail(kept.error());
      if (clock_.monotonic() >= until) return std::nullopt;
    }
  }

 private:
  Result<void> keep() {
    const auto silent = clock_.monotonic() - heard_;
    if (silent >= kGiveUpAfter) return fail(Code::storage_failed, "the server is silent");
    if (asked_ || silent < kAskAfter) return {};
    asked_ = true;
    std::string wire;
    append_command(wire, {"PING"});
    return connection_->say(wire, clock_.monotonic() + kAskAfter);
  }

  const std::unique_ptr<Connection> connection_;
  const Clock& clock_;
  Monotonic heard_;
  bool asked_ = false;
};

}  // namespace

Result<std::unique_ptr<Subscription>> open_subscription(std::unique_ptr<Connection> connection,
                                                        std::string_view channel, const Clock& clock, Monotonic until) {
  std::string wire;
  append_command(wire, {"SUBSCRIBE", channel});
  if (auto said = connection->say(wire, until); !said) return fail(std::move(said).error());
  const auto reply = connection->listen(until);
  if (!reply) return fail(reply.error());
  if (!*reply) return fail(Code::storage_failed, "the server did not answer SUBSCRIBE in time");
  if ((*reply)->kind == Reply::Kind::error) return fail(Code::storage_failed, "the server says: " + (*reply)->text);
  return std::make_unique<OpenSubscription>(std::move(connection), clock);
}

}  // namespace scoreline::redis
