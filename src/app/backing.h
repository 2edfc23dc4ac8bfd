// What an engine stands on, chosen by two URLs: the ledger and the index.
//
//   ledger   sqlite:FOLDER | postgresql://…
//   index    memory: | redis://… | rediss://… | redis-sentinel://…/NAME | redis-cluster://…
//
// Thread safety: none; everything inside says its own.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/redis/client.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "ingest/dead_letters.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/shared_ledger.h"

namespace scoreline::app {

struct Backing {
  std::unique_ptr<leaderboards::Ledger> ledger;
  leaderboards::SharedLedger* shared = nullptr;       ///< the ledger, when other processes may write to it too
  std::unique_ptr<ingest::DeadLetters> dead_letters;  ///< in the ledger's store
  std::unique_ptr<redis::Client> redis;               ///< nullptr: the index is in this process
  std::unique_ptr<leaderboards::RankIndex> index;
  /// Tells a shared index which ledger its boards must come from.
  std::function<void(std::string identity)> follow_ledger;
  std::vector<std::string> notes;  ///< what the operator should know about this start
};

/// Whether a ledger of this URL is in PostgreSQL.
bool is_postgres_ledger(const std::string& ledger);
/// The folder of any other ledger; empty when none is named.
std::string embedded_folder(const std::string& data, const std::string& ledger);

/// Whether an index of this URL is one that other processes share.
bool is_shared_index(const std::string& index);

/// `data`: the folder of an embedded ledger. `ledger` empty: embedded in `data`; `index` empty: `memory:`.
/// Errors: usage, field `ledger` or `index`; those of the ledger and the index.
Result<Backing> open_backing(const std::string& data, const std::string& ledger, const std::string& index,
                             const Clock& clock, Random& random);

/// Over a ledger that is there already, the index in memory.
Backing back_with(std::unique_ptr<leaderboards::Ledger> ledger, Random& random);

}  // namespace scoreline::app
