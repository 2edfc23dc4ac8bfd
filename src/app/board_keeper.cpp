#include "app/board_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "app/on_writer.h"

namespace scoreline::app {

BoardKeeper::BoardKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline,
                         std::function<Result<std::uint64_t>()> definitions_version, std::uint64_t hash_seed,
                         std::function<void(const std::string&)> tell, std::chrono::milliseconds every)
    : service_(service),
      pipeline_(pipeline),
      definitions_version_(std::move(definitions_version)),
      hash_seed_(hash_seed),
      tell_(std::move(tell)),
      every_(every),
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
    if (service_.ready()) look();
    lock.lock();
  }
}

void BoardKeeper::look() {
  auto looked = refresh();
  if (looked) {
    const auto made = service_.heal(hash_seed_);
    if (!made) looked = fail(made.error());
    if (made && *made > 0) tell_(fmt::format("made {} boards again, which the index did not have", *made));
  }
  report(looked);
}

void BoardKeeper::report(const Result<void>& looked) {
  if (!looked && !failing_) tell_("cannot look after the boards: " + looked.error().detail);
  if (looked && failing_) tell_("looking after the boards again");
  failing_ = !looked;
}

Result<void> BoardKeeper::refresh() {
  const auto version = definitions_version_();
  if (!version) return fail(version.error());
  if (*version == known_version_) return {};
  const auto refreshed = on_writer(pipeline_, [this] { return service_.catalogue().refresh(); });
  if (refreshed) known_version_ = *version;
  return refreshed;
}

}  // namespace scoreline::app
