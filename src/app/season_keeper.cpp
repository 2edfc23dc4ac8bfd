#include "app/season_keeper.h"

#include <fmt/format.h>

#include <utility>

#include "ingest/on_writer.h"
#include "leaderboards/season_schedule.h"

namespace scoreline::app {

using leaderboards::BoardId;
using leaderboards::Season;
using leaderboards::SeasonClosing;
using leaderboards::SeasonState;

SeasonKeeper::SeasonKeeper(leaderboards::Service& service, ingest::Pipeline& pipeline, leaderboards::Ledger& ledger,
                           leaderboards::RankIndex& index, leaderboards::PastBoards::MakeIndex make_index,
                           const Clock& clock, std::function<void(const std::string&)> tell,
                           std::chrono::milliseconds every)
    : service_(service),
      pipeline_(pipeline),
      clock_(clock),
      tell_(std::move(tell)),
      every_(every),
      closing_(
          service.catalogue(), ledger.archives(), service.maker(), index, std::move(make_index),
          [this](const SeasonClosing::Work& work) { return ingest::on_writer(pipeline_, work); },
          [this](SeasonClosing::Step) { return go_on(); }),
      thread_([this] { run(); }) {}

SeasonKeeper::~SeasonKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

Result<void> SeasonKeeper::go_on() {
  const std::lock_guard lock(mutex_);
  if (stopping_) return fail(Code::not_ready, "stopping");
  return {};
}

void SeasonKeeper::run() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, every_, [this] { return stopping_; })) {
    lock.unlock();
    if (service_.ready()) report(look());
    lock.lock();
  }
}

void SeasonKeeper::report(const Result<void>& looked) {
  if (!looked && !failing_) tell_("cannot look after the seasons: " + looked.error().detail);
  if (looked && failing_) tell_("looking after the seasons again");
  failing_ = !looked;
}

Result<void> SeasonKeeper::look() {
  Result<void> looked;
  for (const auto& definition : service_.catalogue().definitions()) {
    const auto record = service_.catalogue().find(definition.name.text());
    if (!record) continue;  // dropped just now
    // One leaderboard's trouble is not that of the others.
    if (auto done = look_at(**record); !done) looked = done;
  }
  return looked;
}

Result<void> SeasonKeeper::look_at(const Record& record) {
  for (const Season& season : record.seasons) {
    Result<void> done;
    if (season.state == SeasonState::closed) {
      done = drop(record, season);
    } else {
      forget({record.definition.name, season.id});
      const bool is_to_close = season.state == SeasonState::closing || is_due(record.definition, season, clock_.now());
      if (is_to_close) done = close(record, season);
    }
    if (!done) return done;
  }
  return open_next(record);
}

void SeasonKeeper::forget(const BoardId& board) {
  known_closed_.erase(board);
  dropped_.erase(board);
}

Result<void> SeasonKeeper::open_next(const Record& record) {
  const Season* last = nullptr;
  for (const Season& season : record.seasons) {
    if (last == nullptr || season.id > last->id) last = &season;
  }
  const Timestamp now = clock_.now();
  const auto next = next_season(record.definition, last != nullptr ? std::optional<Season>(*last) : std::nullopt, now);
  if (!next || (next->start && next->start->ms - kOpenSeasonsAhead.count() > now.ms)) return {};
  return ingest::on_writer(pipeline_, [&] { return service_.open_season(record.definition.name, *next); })
      .or_else([](const Error& error) -> Result<void> {
        // Another process opens it.
        if (error.code == Code::not_ready || error.code == Code::conflict) return {};
        return fail(error);
      });
}

Result<void> SeasonKeeper::close(const Record& record, const Season& season) {
  const auto& name = record.definition.name;
  if (season.state == SeasonState::open) {
    if (auto marked = closing_.mark(name, season.id, clock_.now()); !marked) return marked;
  }
  const Monotonic began = clock_.monotonic();
  auto archived = closing_.archive(name, season.id);
  // Another process does it, or it must begin again: the next look will tell.
  if (!archived && archived.error().code == Code::conflict) return {};
  if (!archived) return archived;
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.monotonic() - began);
  tell_(fmt::format("season {} of {} is closed and archived, in {} ms", season.id.value, name.text(), took.count()));
  return {};
}

Result<void> SeasonKeeper::drop(const Record& record, const Season& season) {
  const auto board = leaderboards::board_of(record.definition, season);
  if (dropped_.contains(board.id)) return {};
  if (known_closed_.insert(board.id).second) return {};
  if (auto done = closing_.drop(board); !done) return done;
  dropped_.insert(board.id);
  return {};
}

}  // namespace scoreline::app
