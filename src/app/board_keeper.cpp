#include "app/board_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "app/on_writer.h"
#include "ingest/left_behind.h"

namespace scoreline::app {
namespace {

/// What others have to read again when this process dies is what it and they recorded for so long.
constexpr std::chrono::seconds kTellAllShownEvery{5};

}  // namespace

BoardKeeper::BoardKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline, Backing& backing,
                         const Clock& clock, std::uint64_t hash_seed, std::function<void(const std::string&)> tell,
                         std::chrono::milliseconds every)
    : service_(service),
      pipeline_(pipeline),
      backing_(backing),
      ledger_(*backing.shared),
      clock_(clock),
      hash_seed_(hash_seed),
      tell_(std::move(tell)),
      every_(every),
      told_all_shown_(clock.monotonic()),
      thread_([this] { run(); }) {}

BoardKeeper::~BoardKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void BoardKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, every_, [this] { return stopping_; })) {
    lock.unlock();
    if (service_.ready()) report(look());
    lock.lock();
  }
}

Result<void> BoardKeeper::look() {
  return follow_ledger()
      .and_then([this] { return follow_definitions(); })
      .and_then([this] { return make_lost_boards(); })
      .and_then([this] { return show_left_behind(); })
      .and_then([this] { return tell_all_shown(); });
}

void BoardKeeper::report(const Result<void>& looked) {
  if (!looked && !failing_) tell_("cannot look after the boards: " + looked.error().detail);
  if (looked && failing_) tell_("looking after the boards again");
  failing_ = !looked;
}

Result<void> BoardKeeper::follow_ledger() {
  auto identity = ledger_.identity();
  if (!identity) return fail(std::move(identity).error());
  if (*identity == identity_) return {};
  if (!identity_.empty()) tell_("the ledger was replaced, or a standby took over: the boards are made again");
  identity_ = *identity;
  backing_.follow_ledger(*std::move(identity));
  return {};
}

Result<void> BoardKeeper::follow_definitions() {
  const auto version = ledger_.definitions_version();
  if (!version) return fail(version.error());
  if (*version == known_version_) return {};
  const auto refreshed = on_writer(pipeline_, [this] { return service_.catalogue().refresh(); });
  if (refreshed) known_version_ = *version;
  return refreshed;
}

Result<void> BoardKeeper::make_lost_boards() {
  const auto made = service_.heal(hash_seed_);
  if (!made) return fail(made.error());
  if (*made > 0) tell_(fmt::format("made {} boards again, which the index did not have", *made));
  return {};
}

Result<void> BoardKeeper::show_left_behind() {
  const auto gone = ingest::show_left_behind(service_.catalogue(), ledger_, *backing_.index);
  if (!gone) return fail(gone.error());
  if (*gone > 0) tell_(fmt::format("{} writers are gone; what they recorded is on the boards", *gone));
  return {};
}

Result<void> BoardKeeper::tell_all_shown() {
  const Monotonic now = clock_.monotonic();
  if (now - told_all_shown_ < kTellAllShownEvery) return {};
  told_all_shown_ = now;
  return on_writer(pipeline_, [this]() -> Result<void> {
    if (!pipeline_.all_shown()) return {};
    return ledger_.all_shown();
  });
}

}  // namespace scoreline::app
