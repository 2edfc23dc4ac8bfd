// What the user asked for: argv as values. Nothing is opened or run here.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/error.h"
#include "base/timestamp.h"
#include "cli/queue_command.h"
#include "leaderboards/definition.h"

namespace scoreline::cli {

/// Which board a command means.
struct BoardChoice {
  std::string leaderboard{leaderboards::kMainLeaderboard};
  std::optional<std::int64_t> season;  ///< absent: the current one (top, rank, around), or all (export of results)
  std::optional<Timestamp> as_of;      ///< as it stood then; absent: as it is
  std::string period = {};             ///< `day:2026-10-12`, `week:2026-W41`, `day`, `week`; empty: the whole season
};

struct ServeCommand {};

struct ImportCommand {
  std::string file;  ///< `-`: standard input
  std::optional<std::string> format;
  BoardChoice into;  ///< a season here stands in place of the rows' own
  std::string rejected = "rejected.csv";
  std::size_t batch = 5'000;
  std::int64_t retry_s = 300;  ///< how long a server that does not answer is asked again, in seconds
};

struct ExportCommand {
  std::string output = "-";
  std::string format = "csv";
  BoardChoice from;
  bool board = false;  ///< the standings with their ranks instead of the results
};

struct TopCommand {
  std::size_t count = 10;
  BoardChoice board;
};

struct RankCommand {
  std::string player;
  BoardChoice board;
};

struct AroundCommand {
  std::string player;
  std::size_t radius = 5;
  BoardChoice board;
};

/// A stretch of a board, from a rank on or where a page before ended.
struct RanksCommand {
  BoardChoice board;
  std::uint64_t from = 1;
  std::optional<std::string> cursor;  ///< in place of `from`
  std::size_t limit = 100;
};

/// Who has points within a range, or how many have more.
struct PointsCommand {
  BoardChoice board;
  std::optional<std::string> above;  ///< points as they are written; without `from` and `to`
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::size_t limit = 100;
};

/// How the points are spread.
struct DistributionCommand {
  BoardChoice board;
  std::size_t buckets = 10;
};

struct VerifyCommand {};

/// Makes a board again from the ledger.
struct RebuildCommand {
  BoardChoice board;
};

/// Compares a board with the ledger.
struct ReconcileCommand {
  BoardChoice board;
  bool repair = false;  ///< makes it again when they differ
};

/// Counts a player's rank again from the ledger.
struct AuditRankCommand {
  std::string player;
  BoardChoice board;
};

/// Hides a player, restores or erases one.
struct PlayerCommand {
  enum class Deed : std::uint8_t { hide, restore, erase };
  Deed deed = Deed::hide;
  std::string player;
  std::string leaderboard{leaderboards::kMainLeaderboard};
  std::string reason;
  bool from_ledger = false;  ///< erase: the results themselves, too
  bool preview = false;      ///< hide, erase: only tells what it would do
};

/// Voids a match.
struct MatchCommand {
  std::string match;
  std::string leaderboard{leaderboards::kMainLeaderboard};
  std::string reason;
  bool preview = false;
};

/// Lists who was erased, or erases again who a restored backup has brought back.
struct ErasuresCommand {
  std::optional<std::string> file;  ///< a list, to be applied
  bool from_ledger = false;         ///< the results themselves, too
};

/// Shows what was done, and by whom.
struct AuditLogCommand {
  std::int64_t after = 0;
  std::size_t limit = 100;
};

struct DemoCommand {
  std::int64_t rate = 35;             ///< made-up results a second
  std::optional<std::uint64_t> seed;  ///< absent: another season each time
};

/// Sends results to Kafka: those of a file, or made-up ones.
struct ProduceCommand {
  std::string file;  ///< `-`: standard input; empty with `generate`
  std::optional<std::string> format;
  bool raw = false;                       ///< each line of the file as it is
  std::optional<std::uint64_t> generate;  ///< how many results to make up
  std::size_t players = 1'000;
  std::optional<std::uint64_t> seed;
  std::uint64_t duplicates = 0;      ///< in percent of what is made up
  BoardChoice into;                  ///< a season here stands in place of the rows' own
  std::optional<std::int64_t> rate;  ///< messages a second; absent: as fast as they go
};

/// Looks after the messages that could not be taken.
struct DeadLettersCommand {
  enum class Deed : std::uint8_t { list, show, replay, discard };
  Deed deed = Deed::list;
  std::vector<std::int64_t> ids;  ///< show: one; replay, discard: empty with `all`
  bool all = false;
  std::int64_t after = 0;   ///< list: only those behind it
  std::size_t limit = 100;  ///< list
};

/// Looks after seasons.
struct SeasonCommand {
  enum class Deed : std::uint8_t { list, open, close, archive };
  Deed deed = Deed::list;
  std::string leaderboard = "main";
  std::int64_t season = 0;         ///< all but list
  std::optional<Timestamp> start;  ///< open
  std::optional<Timestamp> end;    ///< open
  std::string format = "csv";      ///< archive
  std::optional<std::int64_t> top;
  std::optional<std::int64_t> top_percent;
};

struct ConfigPrintCommand {};
struct VersionCommand {};

/// Only text to show: --help.
struct HelpCommand {
  std::string text;
};

using Command = std::variant<ServeCommand, ImportCommand, ExportCommand, TopCommand, RankCommand, AroundCommand,
                             VerifyCommand, RebuildCommand, ReconcileCommand, AuditRankCommand, PlayerCommand,
                             ErasuresCommand, AuditLogCommand, MatchCommand, RanksCommand, PointsCommand,
                             DistributionCommand, DemoCommand, ProduceCommand, DeadLettersCommand, SeasonCommand,
                             QueueCommand, QueueWorkCommand, ConfigPrintCommand, VersionCommand, HelpCommand>;

struct Invocation {
  Command command;
  bool json = false;
  std::optional<std::string> config_file;
  std::map<std::string, std::string> settings;  ///< configuration given as flags, by the names it has in the file
};

// What a command needs.
/// Whether it ends only when it is told to.
bool runs_until_stopped(const Command& command);
/// Whether a data folder that is not there is made for it.
bool makes_folder(const Command& command);
bool is_about_queues(const Command& command);
/// How long one answer of a server may take, when others may take `usual`.
std::chrono::milliseconds answer_deadline(const Command& command, std::chrono::milliseconds usual);

/// Errors: usage.
Result<Invocation> parse_command_line(const std::vector<std::string>& arguments);

}  // namespace scoreline::cli
