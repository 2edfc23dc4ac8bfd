// The leaderboards of one process, as the doors see them: reads, and the changes that are not results.
//
// Thread safety: reads from any thread. `put_definition`, `open_season`, `close_season`, `drop` and all that moderates
// only from the writer (ingest::Pipeline::exclusive). Until `rebuild` has finished every read is Code::not_ready, never
// a wrong rank.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "leaderboards/board_maker.h"
#include "leaderboards/board_reader.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/definition.h"
#include "leaderboards/distribution.h"
#include "leaderboards/ledger.h"
#include "leaderboards/past_boards.h"
#include "leaderboards/preview.h"
#include "leaderboards/rank_index.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

/// Which board a reader means: a season by id, or the current one.
struct BoardRef {
  std::string_view leaderboard;
  std::optional<SeasonId> season = {};  ///< nullopt: current
  std::optional<Timestamp> as_of = {};  ///< as it stood then; nullopt: as it is
  /// `day:2026-10-12`, `week:2026-W41`; `day` and `week` are those of now, or of `as_of`. Empty or `season`: the whole
  /// season.
  std::string period = {};
  /// Entries tell the rank that the player had then; nullopt: they do not.
  std::optional<Timestamp> since = {};
};

/// One player among friends.
struct FriendEntry {
  std::uint64_t rank_among = 0;  ///< among the players asked for, from 1
  Entry entry;                   ///< entry.rank is the rank on the whole board
};

struct Friends {
  std::vector<FriendEntry> entries;  ///< sorted by rank
  std::vector<PlayerId> absent;      ///< in the order asked for
};

struct PlaceOnBoard {
  BoardId board;
  Place place;
};

/// Who asked for a change, and why.
struct AskedBy {
  std::string name{kAnonymous};
  std::string reason = {};
};

struct RebuildProgress {
  bool ready = false;
  std::uint64_t results_done = 0;
  std::uint64_t results_total = 0;
  std::optional<Error> failure;  ///< why it will not become ready
};

class Service {
 public:
  /// `make_index`: for boards of the past. `hash_seed`: random wherever strangers choose the player ids.
  Service(Catalogue& catalogue, Ledger& ledger, RankIndex& index, const Clock& clock, PastBoards::MakeIndex make_index,
          std::uint64_t hash_seed = 0);

  /// Makes every board that the index lacks from the ledger, whose rows it verifies on the way. Call once, before or
  /// while the doors are open.
  Result<void> rebuild();
  RebuildProgress progress() const;
  bool ready() const { return ready_.load(std::memory_order_acquire); }
  /// Why the ledger takes no more writes until a restart; nullopt while it does. Reads go on either way.
  std::optional<Error> write_failure() const { return ledger_.write_failure(); }

  const Clock& clock() const { return clock_; }
  Catalogue& catalogue() { return catalogue_; }
  /// For what comes after `rebuild`.
  BoardMaker& maker() { return maker_; }

  /// The board a reader means. Errors: not_ready; not_found, field `leaderboard`, or `period` for one that the
  /// leaderboard does not have or keep; invalid, field `period`.
  Result<Board> resolve(const BoardRef& ref) const;

  // Every read of a board of the past costs a scan of the ledger, unless the board is kept from the last one. Errors:
  // invalid, field `asOf`, when the instant is still to come. The same goes for `since`, which no read but those of
  // entries looks at.

  /// limit 1..kMaxEntries, else Code::invalid, field `limit`.
  Result<Page> top(const BoardRef& ref, std::size_t limit) const;
  /// from ≥ 1. Errors: field `from`, `limit`.
  Result<Page> range(const BoardRef& ref, std::uint64_t from, std::size_t limit) const;
  Result<Page> range_after(const BoardRef& ref, const PlayerId& player, const Standing& standing,
                           std::size_t limit) const;
  /// The entries right before a place: the way back.
  Result<Page> range_before(const BoardRef& ref, const PlayerId& player, const Standing& standing,
                            std::size_t limit) const;
  /// Errors: field `limit`; field `to` when the points end before they begin.
  Result<PointsPage> range_by_points(const BoardRef& ref, PointsRange points, std::size_t limit) const;
  /// How many have better points than each of up to kMaxEntries.
  Result<PointsCounts> counts_above(const BoardRef& ref, std::span<const std::int64_t> points) const;
  /// Who has this rank, from 1 on, and what it takes to have it. Errors: field `rank`.
  Result<RankHolder> holder_of(const BoardRef& ref, std::uint64_t rank) const;
  /// buckets 1..100, else Code::invalid, field `buckets`.
  Result<Distribution> distribution(const BoardRef& ref, std::size_t buckets) const;
  /// Errors: not_found, field `playerId`, when the player has no result on the board.
  Result<Place> place_of(const BoardRef& ref, const PlayerId& player) const;
  /// Where the player stands on every board of the leaderboard, those of days and weeks too: the latest season first.
  Result<std::vector<PlaceOnBoard>> places_of(std::string_view leaderboard, const PlayerId& player) const;
  /// radius 0..kMaxRadius. An absent player gives no entries.
  Result<Page> around(const BoardRef& ref, const PlayerId& player, std::size_t radius) const;
  /// A player's place, and the same counted again from the ledger: a scan of it, whatever board it is.
  Result<RankAudit> audit_rank(const BoardRef& ref, const PlayerId& player) const;
  /// 1..kMaxEntries players; one asked for twice counts once.
  Result<Friends> friends(const BoardRef& ref, std::span<const PlayerId> players) const;
  /// Where 1..kMaxEntries distinct players stand, in their order; nullopt where absent.
  Result<std::vector<std::optional<Entry>>> ranks_of(const BoardRef& ref, std::span<const PlayerId> players) const;
  /// Changes with each change of the board; for caches of rendered pages.
  Result<std::uint64_t> version(const BoardRef& ref) const;
  /// The same when it is known without asking anybody; at once.
  std::optional<std::uint64_t> known_version(const BoardRef& ref) const;

  /// Up to `limit` lines of the archive of a closed season, from `position` on; none of one that is not closed.
  Result<std::vector<ArchivedEntry>> archived(const LeaderboardName& leaderboard, SeasonId season,
                                              std::uint64_t position, std::size_t limit) const;

  // What changes something is logged, with who asked for it.

  Result<bool> put_definition(const Definition& definition, const AskedBy& by = {});
  Result<void> open_season(const LeaderboardName& leaderboard, const Season& season, const AskedBy& by = {});
  /// No result of the season is taken any more; its end is now if it had none or a later one. Its archive comes soon
  /// after (SeasonClosing). Does nothing when it is closing or closed. Errors: not_found, field `season`.
  Result<Season> close_season(const LeaderboardName& leaderboard, SeasonId season, const AskedBy& by = {});
  Result<void> drop(const LeaderboardName& leaderboard, const AskedBy& by = {});
  /// Off every board of the leaderboard; returns how many results stopped counting.
  Result<std::uint64_t> erase_player(const LeaderboardName& leaderboard, const PlayerId& player, Ledger::Erase mode,
                                     const AskedBy& by = {});
  /// Off every board of the leaderboard until restored; what comes of the player meanwhile is recorded. Whether that
  /// changed anything.
  Result<bool> hide_player(const LeaderboardName& leaderboard, const PlayerId& player, const AskedBy& by = {});
  /// Back with the standings that all the player's results make. Cost: as Ledger::results_of_players.
  Result<bool> restore_player(const LeaderboardName& leaderboard, const PlayerId& player, const AskedBy& by = {});
  /// No result of the match counts any more, and none ever will: its id stays taken. Returns how many stopped counting;
  /// 0 when it is void already. Errors: not_found, field `matchId`. Cost: as Ledger::results_of_players.
  Result<std::uint64_t> void_match(const LeaderboardName& leaderboard, const Uuid& match_id, const AskedBy& by = {});
  // What each of these would do; the writer's thread as well. Nothing is changed or logged.

  /// Of hiding, and of erasing: the boards cannot tell one from the other.
  Result<Preview> preview_without(const LeaderboardName& leaderboard, const PlayerId& player) const;
  Result<Preview> preview_without(const LeaderboardName& leaderboard, const Uuid& match_id) const;

  /// Writes down what was done elsewhere: a board made again.
  Result<void> add_to_audit(AuditEntry entry, const AskedBy& by = {});
  /// From any thread.
  Result<std::vector<StoredAuditEntry>> audit_log(AuditId after, std::size_t limit) const;
  /// Reads the catalogue again, because another process changed it, and has the boards show once more whom it
  /// moderated: this one may have been showing a result of theirs meanwhile. When that fails it begins there again the
  /// next time.
  Result<void> follow_changes();
  /// Whether the boards have been shown all that the catalogue knows of.
  bool has_followed() const { return !behind_ && followed_ == catalogue_.audit_position(); }
  /// The ledger is another one: all of its log is to be followed.
  void follow_from_start() { followed_ = 0; }
  /// Follows the changes that processes which are gone may not have heard of, or not brought to their end: they may
  /// have put somebody back on the boards.
  Result<void> follow_for_others(std::span<const AuditEntry> changes);

 private:
  Result<void> check_ready() const;
  /// Errors: as resolve, field `period`.
  Result<Period> period_of(const BoardRef& ref, const Definition& definition) const;
  /// A board, and what answers for it.
  struct Readable {
    Board board;
    std::shared_ptr<const BoardReader> reader;
  };
  Result<Readable> readable(const BoardRef& ref) const;
  /// Fills in the previous ranks that `ref` asks for.
  Result<void> compare(const BoardRef& ref, const Board& board, std::span<Entry* const> entries) const;
  Result<Page> compared(const BoardRef& ref, const Board& board, Result<Page> page) const;
  /// The board's season, if it is closed.
  std::optional<Season> closed_season(const Board& board) const;
  /// Errors: not_ready while it may be open in another process.
  Result<bool> is_unopened(const Board& board) const;
  /// Where the boards are in this process: makes those of earlier days and weeks that `to` keeps and `from` did not.
  Result<void> make_newly_kept(const LeaderboardRecord& from, const Definition& to);
  Result<void> drop_boards(const LeaderboardRecord& record);
  /// Notes that a change may have come no further than to the ledger.
  Result<void> on_boards(Result<void> shown);
  AuditNote note(const AskedBy& by) const { return {clock_.now(), by.name, by.reason}; }

  Catalogue& catalogue_;
  Ledger& ledger_;
  RankIndex& index_;
  const Clock& clock_;
  mutable BoardMaker maker_;
  mutable PastBoards past_;
  std::atomic<AuditId> followed_;    // the last line of the audit log that the boards were looked at for
  std::atomic<bool> behind_{false};  // a change of our own may not be on the boards
  std::atomic<bool> ready_{false};
  std::atomic<std::uint64_t> results_done_{0};
  std::atomic<std::uint64_t> results_total_{0};
  mutable std::mutex failure_mutex_;
  std::optional<Error> failure_;
};

/// The share of the board's players that `place` is level with or ahead of, in percent:
/// 100·(players − above) / players, so 100 for the first of any board.
double percentile(const Place& place);

}  // namespace scoreline::leaderboards
