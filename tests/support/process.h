// The leaderboards of one process over a ledger that outlives it, and short words to submit and to read.
#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "adapters/memory/memory_rank_index.h"
#include "base/clock.h"
#include "base/random.h"
#include "ingest/pipeline.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/service.h"
#include "support/model_ledger.h"

namespace scoreline::test {

inline Timestamp at(std::string_view text) { return parse_timestamp(text).value(); }
inline leaderboards::PlayerId player(std::string text) { return leaderboards::PlayerId::trusted(std::move(text)); }
inline leaderboards::LeaderboardName leaderboard(std::string text) {
  return leaderboards::LeaderboardName::trusted(std::move(text));
}

/// What must go well for the test to make sense.
inline void must(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().field + ": " + result.error().detail);
}

inline std::vector<leaderboards::Entry> entries(Result<leaderboards::Page> page) {
  return std::move(page).value().entries;
}

/// The match number `n`, always the same.
inline Uuid match(std::uint64_t n) {
  Uuid id;
  for (std::size_t i = 0; i < 8; ++i) id.bytes[15 - i] = static_cast<std::uint8_t>(n >> (8 * i));
  return id;
}

/// One run of a process: opens what the ledger has.
struct Process {
  Process(leaderboards::Ledger& ledger, std::shared_ptr<leaderboards::RankIndex> of_boards, const Clock& clock,
          Random& random)
      : catalogue(std::move(leaderboards::Catalogue::open(ledger).value())),
        index(std::move(of_boards)),
        service(*catalogue, ledger, *index, clock, [] { return std::make_unique<memory::MemoryRankIndex>(1); }),
        pipeline(service, ledger, *index, clock, random) {}
  /// Its boards in memory.
  Process(leaderboards::Ledger& ledger, const Clock& clock, Random& random)
      : Process(ledger, std::make_shared<memory::MemoryRankIndex>(random.bits()), clock, random) {}

  std::unique_ptr<leaderboards::Catalogue> catalogue;
  std::shared_ptr<leaderboards::RankIndex> index;
  leaderboards::Service service;
  ingest::Pipeline pipeline;
};

/// What the processes of a world stand on, and what outlives them.
class Stores {
 public:
  virtual ~Stores() = default;
  virtual leaderboards::Ledger& truth() = 0;
  /// As a process that starts has it.
  /// `clock`: by which days and weeks come and go.
  virtual std::shared_ptr<leaderboards::RankIndex> new_index(Random& random, const Clock& clock) = 0;
  /// Those that cost something now.
  virtual std::size_t boards() const = 0;
  /// What of the boards outlives a process is lost. False: there is nothing of that kind.
  virtual bool lose_boards() { return false; }
};

/// A world with one process at a time, and a clock that stands still at 2026-10-12T18:00:00Z.
class WorldOver {
 public:
  explicit WorldOver(Stores& stores) : stores_(stores) { restart(); }

  /// Ends the process and starts another on the same stores.
  void restart() {
    process_.reset();
    process_.emplace(stores_.truth(), stores_.new_index(random, clock), clock, random);
    must(process_->service.rebuild());
  }

  bool has_own_boards() const { return process_->index->exclusive(); }

  /// As the keeper of a process does it now and then; a shared index then has the boards of the days that have come.
  Result<void> remake_missing() {
    if (process_->index->exclusive()) return {};
    return service().maker().make_missing([](leaderboards::ScanProgress) {}).map([](std::size_t) {});
  }

  leaderboards::Service& service() { return process_->service; }
  ingest::Pipeline& pipeline() { return process_->pipeline; }

  Result<bool> put(const leaderboards::Definition& definition) { return service().put_definition(definition); }
  Result<void> open_season(std::string name, leaderboards::Season season) {
    return service().open_season(leaderboard(std::move(name)), season);
  }

  /// A result of season 12, sent now; `points` in whole ones.
  static ingest::Submission result(std::string player_id, std::int64_t points,
                                   std::optional<Timestamp> achieved_at = {}, std::optional<Uuid> match_id = {}) {
    ingest::Submission submission;
    submission.player_id = std::move(player_id);
    submission.points = decimal_from(points);
    submission.season_id = 12;
    submission.achieved_at = achieved_at;
    submission.match_id = match_id;
    return submission;
  }

  Result<ingest::Receipt> submit(ingest::Submission submission) {
    auto receipts = pipeline().submit({std::move(submission)}, leaderboards::Ranks::tell);
    if (!receipts) return fail(std::move(receipts).error());
    return std::move(receipts->front());
  }
  Result<ingest::Receipt> submit(std::string player_id, std::int64_t points, std::optional<Timestamp> achieved_at = {},
                                 std::optional<Uuid> match_id = {}) {
    return submit(result(std::move(player_id), points, achieved_at, match_id));
  }

  leaderboards::BoardRef board(std::string_view name = leaderboards::kMainLeaderboard, std::int32_t season = 12) {
    return {name, leaderboards::SeasonId{season}};
  }

  /// The first entries of a board, as `alice=120`.
  std::vector<std::string> top(std::optional<leaderboards::BoardRef> of = {}) {
    std::vector<std::string> lines;
    for (const auto& entry : entries(service().top(of.value_or(board()), 1000))) {
      lines.push_back(entry.player.text() + "=" + std::to_string(entry.standing.points));
    }
    return lines;
  }

  ManualClock clock{at("2026-10-12T18:00:00Z")};
  SeededRandom random{1};

 private:
  Stores& stores_;
  std::optional<Process> process_;
};

/// The embedded default in small: everything in memory, and a ledger that fails on command.
struct ModelStores : Stores {
  leaderboards::Ledger& truth() override { return ledger; }
  std::shared_ptr<leaderboards::RankIndex> new_index(Random& random, const Clock&) override {
    index_ = std::make_shared<memory::MemoryRankIndex>(random.bits());
    return index_;
  }
  std::size_t boards() const override { return index_->boards(); }
  memory::MemoryRankIndex& index() { return *index_; }

  ModelLedger ledger;

 private:
  std::shared_ptr<memory::MemoryRankIndex> index_;
};

class World : public ModelStores, public WorldOver {
 public:
  World() : WorldOver(static_cast<Stores&>(*this)) {}
};

/// A leaderboard that differs from the defaults in its rule.
inline leaderboards::Definition with_rule(std::string name, leaderboards::Rule rule) {
  leaderboards::Definition definition{.name = leaderboard(std::move(name))};
  definition.rule = rule;
  definition.order = leaderboards::default_order(rule);
  return definition;
}

}  // namespace scoreline::test
