// Scoreline as a C++20 library: leaderboards in this process, kept in a folder, or in stores that many processes share.
//
//     auto scoreline = scoreline::Scoreline::open("data");
//     auto board = scoreline.leaderboard("main", {.rule = scoreline::Rule::sum});
//     board.add_points("alice", 120);
//     board.add_points("bob", 95);
//     board.add_points("carol", 130);
//     board.add_points("bob", 60);
//     for (const auto& entry : board.top(3)) std::cout << entry.rank << ' ' << entry.player << '\n';
//     std::cout << board.rank_of("alice").value() << '\n';  // 3
//
// Every result is durable (it survives a power failure) and visible before the call that brought it returns. Results of
// threads that submit at the same time share one write to the disk.
//
// Thread safety: everything may be called from any thread. Handles are cheap to copy and keep the folder open.
// Errors: exceptions of type scoreline::Failure. What may well be absent is an optional, never an exception.
// Only the standard library is needed to include this file.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace scoreline {

/// Something could not be done. `what()` says what is wrong and what would be right.
class Failure : public std::runtime_error {
 public:
  Failure(std::string code, const std::string& detail, std::string field)
      : std::runtime_error(field.empty() ? detail : field + ": " + detail),
        code_(std::move(code)),
        field_(std::move(field)) {}

  /// A stable word: invalid, not_found, conflict, too_many, overloaded, storage_failed, storage_full, unknown_outcome,
  /// damaged, locked …
  const std::string& code() const noexcept { return code_; }
  /// The offending value's name (`points`, `playerId`); empty when none.
  const std::string& field() const noexcept { return field_; }

 private:
  std::string code_;
  std::string field_;
};

/// How a player's results become the points that count.
enum class Rule { best, least, sum, latest };
enum class Order { descending, ascending };
/// Among equals: who reached the points first or last ranks above; or all have one rank, 1, 2, 2, 4 or (dense) 1, 2,
/// 2, 3.
enum class Ties { first, last, shared, dense };

using Time = std::chrono::sys_time<std::chrono::milliseconds>;

/// What players with the same points are compared by, up to three, in turn: players with 130 points by their win rate,
/// then by their matches. Every result brings a value for each.
struct Criterion {
  std::string name;                 ///< a letter, then letters, digits and `_`
  Order order = Order::descending;  ///< which of its values ranks above
  std::int64_t min = 0;             ///< of one result, in units of 10^-scale, as the values are
  std::int64_t max = 0;
  int scale = 0;
};

struct LeaderboardOptions {
  Rule rule = Rule::best;
  std::optional<Order> order = {};  ///< absent: ascending for `least`, else descending
  Ties ties = Ties::first;
  int scale = 0;                ///< digits after the point, 0..9: at 2, points of 1250 are 12.50
  std::int64_t min_points = 0;  ///< of one result
  std::int64_t max_points = INT64_MAX;
  bool days = false;              ///< a board for each day too, see Board::period
  bool weeks = false;             ///< and for each week
  std::string time_zone = "UTC";  ///< of the IANA database: when days begin
  std::string week_start = "monday";
  int keep_days = 3;   ///< a day's board is kept while so many days follow it, 1..366
  int keep_weeks = 5;  ///< a week's board, while so many weeks follow it, 1..104
  /// After the points. The narrower the ranges, of the points too, the more fit: 80 bits in all.
  std::vector<Criterion> criteria = {};
};

/// A player's place on a board.
struct Entry {
  std::uint64_t rank = 0;  ///< from 1
  std::string player;
  std::int64_t points = 0;                            ///< in units of 10^-scale, here and everywhere
  Time achieved_at;                                   ///< when these points were reached
  std::map<std::string, std::int64_t> criteria = {};  ///< by name, those after the points
};

/// One player's outcome in one match.
struct MatchResult {
  std::string player;  ///< 1..128 bytes of UTF-8 without control characters
  std::int64_t points = 0;
  /// A UUID (`82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6`): sent again, the same match and player count once, for ever.
  /// Absent: always a new match.
  std::optional<std::string> match_id = {};
  std::optional<Time> achieved_at = {};               ///< absent: now
  std::map<std::string, std::int64_t> criteria = {};  ///< by name: all of the leaderboard's
};

enum class Outcome {
  duplicate,  ///< this match and player are known already; nothing changed
  unchanged,  ///< recorded; the player stands no better
  improved,   ///< recorded; the board changed
};

struct Receipt {
  Outcome outcome = Outcome::unchanged;
  std::int64_t points = 0;            ///< the player's standing now
  std::optional<std::uint64_t> rank;  ///< now; absent for one of many
  std::optional<std::uint64_t> previous_rank;
};

/// What became of one of many results: taken, or why not.
struct Answer {
  std::optional<Receipt> receipt;
  std::optional<Failure> rejected;
};

enum class SeasonState {
  open,
  closing,  ///< takes no more results, and is being archived
  closed,   ///< read from its archive
};

struct Season {
  std::int64_t id = 0;
  std::optional<Time> start = {};
  std::optional<Time> end = {};
  SeasonState state = SeasonState::open;
  std::uint64_t players = 0;  ///< of a closed one
};

/// A player's place on one of the boards of a leaderboard.
struct PlaceOnBoard {
  std::int64_t season = 0;
  std::string period;  ///< `season`, `day:2026-10-12`, `week:2026-W41`
  Entry entry;
  std::uint64_t players = 0;
};

class Scoreline;
class Queue;

/// Players with points of a range, both ends in it.
struct Bucket {
  std::int64_t low = 0;
  std::int64_t high = 0;
  std::uint64_t count = 0;
};

/// How the points of a board are spread.
struct Distribution {
  std::uint64_t players = 0;
  std::vector<Bucket> buckets;       ///< ascending; their counts add up to `players`
  std::map<int, std::int64_t> cuts;  ///< by percent: whoever has these points is level with or ahead of that share
};

/// Where servers and programs keep leaderboards together.
struct SharedStores {
  std::string ledger;  ///< `postgresql://…`
  std::string index;   ///< `redis://…`, `rediss://…`, `redis-sentinel://…/NAME`, `redis-cluster://…`
};

/// One board: a season of a leaderboard.
class Board {
 public:
  /// A new match, now. O(log n), and one write to the disk that is shared with what others submit meanwhile.
  Receipt add_points(std::string_view player, std::int64_t points);
  Receipt submit(const MatchResult& result);
  /// 1..10,000 results in one write. The bad ones do not hold up the rest; one answer each, in order.
  std::vector<Answer> submit(std::span<const MatchResult> results);

  /// The first `count` (1..1000).
  std::vector<Entry> top(std::size_t count) const;
  /// `count` (1..1000) entries from rank `from` (from 1) on.
  std::vector<Entry> range(std::uint64_t from, std::size_t count) const;
  /// Up to 2·radius+1 entries, radius 0..100; none when the player is absent.
  std::vector<Entry> around(std::string_view player, std::size_t radius = 5) const;
  std::optional<std::uint64_t> rank_of(std::string_view player) const;
  std::optional<Entry> find(std::string_view player) const;
  /// One answer per player (1..1000), in their order, all of one moment.
  std::vector<std::optional<Entry>> find(std::span<const std::string> players) const;
  /// How many players have better points: more on descending boards, less on ascending ones.
  std::uint64_t count_above(std::int64_t points) const;
  /// The first `limit` (1..1000) entries of those with points from `low` to `high`, both included.
  std::vector<Entry> between(std::int64_t low, std::int64_t high, std::size_t limit = 100) const;
  /// The first of those who have this rank (from 1), or whoever must be reached for it; absent beyond the last.
  std::optional<Entry> at_rank(std::uint64_t rank) const;
  /// How many players.
  std::uint64_t size() const;
  /// `buckets` 1..100, equally wide from the lowest to the highest points there are.
  Distribution distribution(std::size_t buckets = 10) const;

  /// The board of another season (0..2,147,483,647) of the same leaderboard. It opens with its first result.
  Board season(std::int64_t id) const;
  /// The board of a day or week of the same season: `day:2026-10-12`, `week:2026-W41`; `day` and `week` are the current
  /// ones, whenever it is read. Results submitted to it go to the season, and count on the days that they were achieved
  /// on.
  Board period(std::string_view name) const;
  /// The board as it stood at a past instant: what results achieved until then make of it. To be read only. The first
  /// read reads the whole ledger; the last few boards of the past are kept for some minutes.
  Board as_of(Time at) const;

 private:
  friend class Scoreline;
  struct Place;
  explicit Board(std::shared_ptr<const Place> place) : place_(std::move(place)) {}
  std::shared_ptr<const Place> place_;
};

class Scoreline {
 public:
  /// Opens the folder, makes it when it is not there, and brings the boards up from what is kept in it (about a second
  /// for a million players). Failure `locked` when another process has it open.
  static Scoreline open(const std::filesystem::path& folder);
  /// The same over stores that other processes may use at the same time, servers of the program among them. Boards that
  /// the index lacks are made. Failure `usage` for a URL of another kind.
  static Scoreline open(const SharedStores& stores);

  /// A leaderboard that is there (`main` always is), at its current season.
  Board leaderboard(std::string_view name);
  /// The same; made when it is not there, and changed to `options` while it has no results. Failure `conflict` when it
  /// has results and is another one.
  Board leaderboard(std::string_view name, const LeaderboardOptions& options);

  /// Where the player stands on every board of the leaderboard, those of days and weeks too: the latest season first.
  std::vector<PlaceOnBoard> places_of(std::string_view leaderboard, std::string_view player) const;

  /// In the order of their ids.
  std::vector<Season> seasons(std::string_view leaderboard) const;
  /// Failure `conflict` when it is open with another start or end, or closed.
  void open_season(std::string_view leaderboard, std::int64_t id, std::optional<Time> start = {},
                   std::optional<Time> end = {});
  /// From now on no result of it is taken. The folder archives it within a second or two: see `seasons`.
  void close_season(std::string_view leaderboard, std::int64_t id);
  /// `count` (1..1000) of the final standings of a closed season, from position `from` (from 1) on; an erased player
  /// has no name there. None while it is not closed.
  std::vector<Entry> archive(std::string_view leaderboard, std::int64_t season, std::uint64_t from = 1,
                             std::size_t count = 1000) const;

  /// Its jobs are there from the first that is put in (scoreline/queue.h). Failure `not_ready` when another process
  /// holds the jobs of the stores.
  Queue queue(std::string_view name);

  // What moderates is logged with its reason.

  /// Takes a player off all boards of a leaderboard, and their results out of the folder.
  void erase_player(std::string_view leaderboard, std::string_view player);
  /// Off all boards until restored; what comes meanwhile is recorded. Whether that changed anything.
  bool hide_player(std::string_view leaderboard, std::string_view player, std::string_view reason = {});
  /// Back with the points and times of all results.
  bool restore_player(std::string_view leaderboard, std::string_view player, std::string_view reason = {});
  /// None of the match's results counts any more, and its id stays taken. How many stopped counting. Failure
  /// `not_found` when no result of it is kept.
  std::uint64_t void_match(std::string_view leaderboard, std::string_view match_id, std::string_view reason = {});

 private:
  struct Core;
  friend class Board;
  friend class Queue;
  explicit Scoreline(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::shared_ptr<Core> core_;
};

}  // namespace scoreline
