// The rank index of several nodes: boards as sorted sets of one Redis or Valkey that they share.
//
// Thread safety: any thread. Every call is one script, so that it sees and leaves a board at one moment.
// Invariants: a script first compares where the board came from (epoch, definition, run id of the server, seq, how many
// players its keys hold) and answers `stale` unless all is as it was left: a board that the server lost, mixed up or
// turned back in time is Code::not_ready, never an empty or an old one.
// Cost: as the port says, plus one round trip. A load sends pipelines of a few thousand standings; a board being loaded
// takes its memory twice.
// Errors besides the port's: not_ready (stale; another server answers), storage_full (the server is out of memory: the
// write was not done), and what Client says.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "adapters/redis/board_keys.h"
#include "adapters/redis/client.h"
#include "adapters/redis/joined_reads.h"
#include "adapters/redis/seen_boards.h"
#include "base/clock.h"
#include "base/random.h"
#include "leaderboards/rank_index.h"

namespace scoreline::redis {

struct RankIndexOptions {
  std::string key_prefix = "lb";
  std::string epoch;  ///< which ledger the boards are made from; one that was made from another is stale
  /// How long a loader may be silent before another one may take over. `begin_load` and every piece loaded are heard.
  std::chrono::milliseconds load_lease = std::chrono::seconds{60};
  /// By which days and weeks come and go; nullptr: the index's own.
  const Clock* calendar_clock = nullptr;
};

class RedisRankIndex final : public leaderboards::RankIndex {
 public:
  /// All references outlive the index. Errors: usage when the server evicts keys or is older than 6.2; those of Client
  /// when it cannot be reached.
  static Result<std::unique_ptr<RedisRankIndex>> open(Client& client, RankIndexOptions options, const Clock& clock,
                                                      Random& random);

  Result<std::vector<leaderboards::Applied>> apply(const leaderboards::Board& board,
                                                   std::span<const leaderboards::Offer> offers,
                                                   leaderboards::Ranks ranks) override;
  Result<std::vector<std::optional<leaderboards::Standing>>> standings(
      const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players) const override;
  Result<leaderboards::Page> range(const leaderboards::Board& board, std::uint64_t first,
                                   std::size_t limit) const override;
  Result<leaderboards::Page> range_after(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                         const leaderboards::Standing& standing, std::size_t limit) const override;
  Result<leaderboards::Page> range_before(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                          const leaderboards::Standing& standing, std::size_t limit) const override;
  Result<leaderboards::PointsPage> range_by_points(const leaderboards::Board& board, leaderboards::PointsRange points,
                                                   std::size_t limit) const override;
  Result<leaderboards::PointsCounts> counts_above(const leaderboards::Board& board,
                                                  std::span<const std::int64_t> points) const override;
  Result<leaderboards::EntriesAt> entries_at(const leaderboards::Board& board, std::span<const std::uint64_t> numbers,
                                             leaderboards::By by) const override;
  Result<std::optional<leaderboards::Place>> place_of(const leaderboards::Board& board,
                                                      const leaderboards::PlayerId& player) const override;
  Result<leaderboards::Page> around(const leaderboards::Board& board, const leaderboards::PlayerId& player,
                                    std::size_t radius) const override;
  Result<std::vector<std::optional<leaderboards::Entry>>> ranks_of(
      const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players) const override;
  Result<std::uint64_t> erase(const leaderboards::Board& board,
                              std::span<const leaderboards::PlayerId> players) override;
  Result<void> begin_load(const leaderboards::Board& board) override;
  Result<void> load(const leaderboards::Board& board, std::uint64_t expected,
                    const std::function<std::optional<leaderboards::Offer>()>& next) override;
  /// Others may load it once its lease has run out.
  void abandon_load(const leaderboards::Board& board) override { forget_token(board); }
  Result<void> drop(const leaderboards::Board& board) override;
  Result<std::uint64_t> version(const leaderboards::Board& board) const override;
  std::optional<std::uint64_t> known_version(const leaderboards::Board& board) const override;
  Result<bool> is_loaded(const leaderboards::Board& board) const override;
  bool exclusive() const override { return false; }

  /// From now on boards must come from this ledger (RankIndexOptions::epoch): others are stale.
  void set_epoch(std::string epoch);

 private:
  /// What a script returned: its list, or why the board is stale.
  struct Answer {
    std::vector<Reply> parts;
    std::optional<std::string> stale;
  };
  using Arguments = std::vector<std::string>;
  /// The standings of players, and how many rank above each when asked for; one call.
  struct Places {
    std::uint64_t players = 0;
    std::vector<std::optional<leaderboards::Entry>> entries;
    std::vector<std::uint64_t> above;  ///< players, when ranks are asked for
  };

  RedisRankIndex(Client& client, RankIndexOptions options, const Clock& clock, Random& random)
      : client_(client), options_(std::move(options)), clock_(clock), random_(random), epoch_(options_.epoch) {}

  BoardKeys keys(const leaderboards::Board& board) const { return keys_of(options_.key_prefix, board); }
  /// One script, for the server as it is now. A stale board is an answer.
  Result<Answer> ask(const leaderboards::Board& board, const Script& script, std::vector<std::string> keys,
                     std::vector<Arguments> calls) const;
  /// The same for one call, a stale board being an error; at least `parts` parts.
  Result<std::vector<Reply>> run(const leaderboards::Board& board, const Script& script, std::vector<std::string> keys,
                                 Arguments arguments, std::size_t parts) const;
  /// The same for a call that only reads.
  Result<std::vector<Reply>> look(const leaderboards::Board& board, const Script& script, Arguments arguments,
                                  std::size_t parts) const;
  /// What the caller is told of a standing that cannot be read. When it is one that nobody here wrote, the board is
  /// stale from now on.
  Error distrust(const leaderboards::Board& board, const Error& error) const;
  Result<leaderboards::Page> read(const leaderboards::Board& board, const Script& script, Arguments arguments) const;
  Result<Places> places(const leaderboards::Board& board, std::span<const leaderboards::PlayerId> players,
                        leaderboards::Ranks ranks) const;

  /// In how many ms the server is to let the board go; empty: never.
  std::string goes_in(const leaderboards::Board& board) const;
  std::string epoch() const;
  std::optional<std::string> token_of(const leaderboards::Board& board) const;
  void forget_token(const leaderboards::Board& board);
  Result<void> send_standings(const leaderboards::Board& board, const std::string& token,
                              const std::function<std::optional<leaderboards::Offer>()>& next);

  Client& client_;
  const RankIndexOptions options_;
  const Clock& clock_;
  Random& random_;
  mutable SeenBoards seen_;
  mutable JoinedReads joined_reads_;
  mutable std::mutex epoch_mutex_;
  std::string epoch_;  // guarded by epoch_mutex_
  mutable std::mutex tokens_mutex_;
  std::unordered_map<leaderboards::BoardId, std::string> tokens_;  // of the loads begun here
};

}  // namespace scoreline::redis
