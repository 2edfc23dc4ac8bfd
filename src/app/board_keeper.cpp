#include "app/board_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "ingest/left_behind.h"
#include "ingest/on_writer.h"

namespace scoreline::app {
namespace {

/// What others have to read again when this process dies is what it and they recorded for so long.
constexpr std::chrono::seconds kTellAllShownEvery{5};

}  // namespace

BoardKeeper::BoardKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline, Backing& backing,
                         const Clock& clock, std::function<void(const std::string&)> tell,
                         std::chrono::milliseconds every)
    : service_(service),
      pipeline_(pipeline),
      backing_(backing),
      ledger_(*backing.shared),
      clock_(clock),
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
  // Else the others would look after what we leave.
  if (service_.ready() && follow_definitions()) static_cast<void>(tell_all_shown());
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
      .and_then([this]() -> Result<void> {
        const Monotonic now = clock_.monotonic();
        if (now - told_all_shown_ < kTellAllShownEvery) return {};
        told_all_shown_ = now;
        return tell_all_shown();
      });
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
  if (!identity_.empty()) {
    tell_("the ledger was replaced, or a standby took over: the boards are made again");
    service_.follow_from_start();
  }
  identity_ = *identity;
  backing_.follow_ledger(*std::move(identity));
  return {};
}

Result<void> BoardKeeper::follow_definitions() {
  const auto current = service_.catalogue().is_current();
  if (!current) return fail(current.error());
  if (*current && service_.has_followed()) return {};
  return ingest::on_writer(pipeline_, [this] { return service_.follow_changes(); });
}

Result<void> BoardKeeper::make_lost_boards() {
  const auto made = service_.maker().make_missing([](leaderboards::ScanProgress) {});
  if (!made) return fail(made.error());
  if (*made > 0) tell_(fmt::format("the index lacked boards; made again from the ledger: {}", *made));
  return {};
}

Result<void> BoardKeeper::show_left_behind() {
  const auto follow = [this](std::span<const leaderboards::AuditEntry> changes) {
    return ingest::on_writer(pipeline_, [&] { return service_.follow_for_others(changes); });
  };
  const auto gone = ingest::show_left_behind(service_.catalogue(), ledger_, *backing_.index, clock_.now(), follow);
  if (!gone) return fail(gone.error());
  if (*gone > 0) tell_("a server or its connection is gone; what it had recorded is on the boards");
  return {};
}

Result<void> BoardKeeper::tell_all_shown() {
  ingest::on_writer(pipeline_, [this] {
    if (pipeline_.all_shown()) ledger_.all_shown();
    return true;
  });
  // What we showed without having heard of a change is for the others to look at until we have followed it.
  const auto current = service_.catalogue().is_current();
  if (!current) return fail(current.error());
  if (!*current || !service_.has_followed()) return {};
  return ledger_.tell_all_shown();
}

}  // namespace scoreline::app
