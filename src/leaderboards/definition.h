// What a leaderboard is: the rule that makes standings of results, and the order that makes ranks of standings.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "leaderboards/values.h"

namespace scoreline::leaderboards {

enum class Rule : std::uint8_t {
  best,    ///< the highest of a player's results
  least,   ///< the lowest
  sum,     ///< all added up
  latest,  ///< the one achieved last
};

enum class Order : std::uint8_t { descending, ascending };

/// What a definition that names no order means: ascending for `least`, else descending.
constexpr Order default_order(Rule rule) { return rule == Rule::least ? Order::ascending : Order::descending; }

/// Who ranks above among equals: those with the same points (and criteria).
enum class Ties : std::uint8_t {
  first,   ///< who reached them first
  last,    ///< who reached them last
  shared,  ///< all have one rank, and as many ranks are left out: 1, 2, 2, 4. Pages show them as `first` would.
  dense,   ///< all have one rank, the next one follows: 1, 2, 2, 3. Pages show them as `first` would.
};

enum class KeyKind : std::uint8_t {
  wide,    ///< 64-bit points and millisecond time
  packed,  ///< points 0..2,097,151 and seconds since the season's start, in 53 bits: also a Redis score
};

/// The boards beside a season's own: one for each day, for each week.
struct PeriodRules {
  bool days = false;
  bool weeks = false;
  std::string time_zone = "UTC";  ///< of the IANA database: when days begin, and what a season's schedule means
  Weekday week_start = Weekday::monday;
  int keep_days = 3;   ///< a day's board is kept while this many days follow it, 1..366
  int keep_weeks = 5;  ///< a week's board, while this many weeks follow it, 1..104

  friend bool operator==(const PeriodRules&, const PeriodRules&) = default;
};

/// When seasons begin by themselves: not at all, by a cron expression, or one after another of a fixed length. See
/// season_schedule.h.
struct SeasonSchedule {
  std::optional<std::string> cron;                 ///< five fields, in PeriodRules::time_zone
  std::optional<std::chrono::milliseconds> every;  ///< a fixed length, 1 minute..10 years; `from` says from when on
  std::optional<Timestamp> from;                   ///< no season begins before it

  friend bool operator==(const SeasonSchedule&, const SeasonSchedule&) = default;
};

/// What players with the same points are compared by. See criteria.h.
struct Criterion {
  std::string name;                 ///< a letter, then letters, digits and `_`; not `points`
  Order order = Order::descending;  ///< which of its values ranks above
  int scale = 0;                    ///< decimal digits after the point, 0..9
  std::int64_t min = 0;             ///< of one result, in units of 10^-scale
  std::int64_t max = 0;

  friend bool operator==(const Criterion&, const Criterion&) = default;
};

struct Definition {
  LeaderboardName name;
  Rule rule = Rule::best;
  Order order = Order::descending;
  int scale = 0;  ///< decimal digits after the point, 0..9
  Ties ties = Ties::first;
  KeyKind key = KeyKind::wide;
  std::int64_t min_points = 0;  ///< of one result, in units of 10^-scale
  std::int64_t max_points = std::numeric_limits<std::int64_t>::max();
  std::chrono::milliseconds grace = std::chrono::minutes{10};
  int top = 100;  ///< entries of the cached top, 1..1000
  PeriodRules periods{};
  SeasonSchedule schedule{};
  std::vector<Criterion> criteria{};  ///< those after the points, compared in turn; kMaxCriteria - 1 at most

  friend bool operator==(const Definition&, const Definition&) = default;
};

/// The leaderboard that exists from the first start.
inline constexpr std::string_view kMainLeaderboard = "main";

/// How long the grace after a season's end may be.
inline constexpr std::chrono::milliseconds kMaxGrace = std::chrono::hours{24 * 366};

/// Errors: Code::invalid with the field's name as it stands in JSON and TOML.
Result<void> validate(const Definition& definition);

/// The most points that one result may have: `max_points`, or what a packed key holds when that is less.
std::int64_t most_points(const Definition& definition);

/// Whether `from` may become `to` while it has results: only what leaves every board right (top, grace, keepDays,
/// keepWeeks, and when seasons begin).
/// Errors: Code::conflict naming the first field that may not change and why.
Result<void> can_change(const Definition& from, const Definition& to);

/// Adds the boards of `day` or `week`. Errors: Code::invalid, field `periods`, also for one that is there already.
Result<void> add_period(PeriodRules& rules, std::string_view word);

std::string_view to_string(Rule rule);
std::string_view to_string(Order order);  ///< `desc`, `asc`
std::string_view to_string(Ties ties);
std::string_view to_string(KeyKind key);
/// Errors: Code::invalid naming the field and the words that would be right.
Result<Rule> parse_rule(std::string_view text);
Result<Order> parse_order(std::string_view text);
Result<Ties> parse_ties(std::string_view text);
Result<KeyKind> parse_key(std::string_view text);

/// What the ledger says of a season. Between its end and the end of its grace an open one is shown as closing too.
enum class SeasonState : std::uint8_t {
  open,
  closing,  ///< no result of it is taken any more; its final standings are being archived
  closed,   ///< its archive answers every read, and never changes but for players who are erased
};

std::string_view to_string(SeasonState state);

/// One edition of a leaderboard. Opened by hand, by schedule, or by its first result (then without a start).
struct Season {
  SeasonId id;
  std::optional<Timestamp> start;  ///< no result achieved before it is taken; `packed` keys count from it
  std::optional<Timestamp> end;    ///< no result achieved at it or later is taken
  SeasonState state = SeasonState::open;
  std::uint64_t players = 0;    ///< closed: in its archive
  std::uint64_t anonymous = 0;  ///< closed: of these, those whose player was erased since
  friend bool operator==(const Season&, const Season&) = default;
};

/// What a reader is told: closing from the end on.
SeasonState state_at(const Season& season, Timestamp now);

/// Whether the season is to be closed: it is open, and its grace is over.
bool is_due(const Definition& definition, const Season& season, Timestamp now);

/// All that an index must know to keep one board.
struct Board {
  BoardId id;
  Rule rule = Rule::best;
  Order order = Order::descending;
  Ties ties = Ties::first;
  KeyKind key = KeyKind::wide;
  Timestamp season_start;  ///< meaningful for `packed` only
  // How a wide key holds points, and the criteria after them.
  std::int64_t least_points = std::numeric_limits<std::int64_t>::min();  ///< what it counts points from
  int points_bits = 64;
  int extra_bits = 0;  ///< of the criteria after the points; 0 where there are none

  Span span{};                          ///< of the results that count on it, by achieved_at
  Timestamp kept_until = Span{}.until;  ///< then it goes; whose board has gone is not asked for any more

  bool has_criteria() const { return extra_bits > 0; }
  /// Whether players who are equal in all but time have one rank.
  bool shares_ranks() const { return ties == Ties::shared || ties == Ties::dense; }
};

/// Errors: Code::invalid, field `start` or `end`.
Result<void> validate(const Definition& definition, const Season& season);

Board board_of(const Definition& definition, const Season& season);

}  // namespace scoreline::leaderboards
