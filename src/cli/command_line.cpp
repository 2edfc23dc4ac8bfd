#include "cli/command_line.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <limits>

#include "base/limits.h"
#include "cli/command_options.h"
#include "cli/queue_command_line.h"
#include "leaderboards/distribution.h"

namespace scoreline::cli {
namespace {

// CLI11 takes a number that is too big for the biggest there is.
constexpr std::int64_t kMaxDeadLetterId = std::numeric_limits<std::int64_t>::max() - 1;

/// CLI11's own words carry type names and line breaks that say nothing to a user.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// All commands, bound to the places their values go to.
class Parser {
 public:
  Parser() {
    app_.require_subcommand(0, 1);  // none is told below, after words that are no command
    app_.fallthrough();
    app_.add_flag("--json", invocation_.json, "Machine output: JSON on standard output, errors as JSON too");
    app_.add_option("--config", invocation_.config_file, "Configuration file (TOML)")->type_name("FILE");
    add_setting(app_, "--data", "data", "Data folder (default: scoreline-data)", invocation_.settings, "DIR");
    add_setting(app_, "--ledger", "ledger", "sqlite:FOLDER or postgresql://… instead of the data folder",
                invocation_.settings, "URL");
    add_setting(app_, "--index", "index", "redis://…, rediss://…, redis-sentinel://…/NAME or redis-cluster://…",
                invocation_.settings, "URL");
    add_setting(app_, "--queues", "queues", "Where jobs live: ledger: (beside the ledger) or redis://…",
                invocation_.settings, "URL");
    add_setting(app_, "--server", "server", "Ask a running server instead of a data folder", invocation_.settings,
                "URL");
    app_.footer(
        "Exit codes: 0 done; 3 not found; 5 damaged; 6 data folder in use; 64 wrong usage; 65 bad input;\n"
        "70 a defect; 74 storage failed or full; 75 not ready, try again. docs/cli.md has them all.");
    add_serving();
    add_moving();
    add_producing();
    add_reading();
    add_dead_letters();
    add_seasons();
    queue_.add_to(app_);
    add_rest();
  }

  Result<Invocation> parse(std::vector<std::string> arguments) {
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
      app_.parse(std::move(arguments));
    } catch (const CLI::CallForHelp&) {
      invocation_.command = HelpCommand{help()};
      return invocation_;
    } catch (const CLI::ParseError& error) {
      return fail(Code::usage, one_line(error.what()) + "; see scoreline --help");
    }
    if (app_.get_subcommands().empty()) return fail(Code::usage, "no command is given; see scoreline --help");
    const auto& letters = dead_letters_command_;
    const bool on_some =
        letters.deed == DeadLettersCommand::Deed::replay || letters.deed == DeadLettersCommand::Deed::discard;
    if (on_some && letters.ids.empty() && !letters.all) {
      return fail(Code::usage, "name the dead letters by their ids, or say --all");
    }
    invocation_.command = chosen();
    return invocation_;
  }

 private:
  CLI::App* command(const std::string& name, const std::string& help, const std::string& examples) {
    CLI::App* sub = app_.add_subcommand(name, help);
    sub->footer("Examples:\n" + examples);
    return sub;
  }

  void add_serving() {
    serve_ = command("serve", "Serve leaderboards over HTTP from a data folder",
                     "  scoreline serve --data DIR --listen 127.0.0.1:8080\n"
                     "  scoreline --config scoreline.toml serve");
    add_serve_settings(*serve_, invocation_.settings);
    add_consumer_settings(*serve_, invocation_.settings);
    demo_ = command("demo", "Serve a live made-up season to look at",
                    "  scoreline demo                    then open http://127.0.0.1:8080/\n"
                    "  scoreline demo --rate 50 --listen 127.0.0.1:0");
    add_serve_settings(*demo_, invocation_.settings);
    demo_->add_option("--rate", demo_command_.rate, "Results a second")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000}))
        ->type_name("N");
    demo_->add_option("--seed", demo_command_.seed, "The same season again")->type_name("N");
  }

  void add_moving() {
    import_ = command("import", "Read results from a file or standard input",
                      "  scoreline import results.csv --data DIR\n"
                      "  scoreline import results.csv --server http://127.0.0.1:8080 --season 12\n"
                      "  zcat results.jsonl.gz | scoreline import - --format jsonl");
    auto& import = import_command_;
    import_->add_option("FILE", import.file, "CSV or JSON lines; - is standard input")->required();
    import_->add_option("--format", import.format, "csv or jsonl; by default what the file's name tells")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->type_name("FORMAT");
    add_board(*import_, import.into, "Take every result into this season, whatever its row says");
    import_->add_option("--rejected", import.rejected, "Where rows that were not taken go")
        ->capture_default_str()
        ->type_name("FILE");
    import_->add_option("--batch", import.batch, "Results that share one commit")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, kMaxBatch))
        ->type_name("N");
    import_->add_option("--retry", import.retry_s, "How long a server that does not answer is asked again")
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{86'400}))
        ->type_name("SECONDS");
    export_ = command("export", "Write all results of a leaderboard, or one of its boards, to a file",
                      "  scoreline export --output results.csv\n"
                      "  scoreline export --board --season 12 --server http://127.0.0.1:8080");
    export_->add_option("--output,-o", export_command_.output, "File; - is standard output")
        ->capture_default_str()
        ->type_name("FILE");
    export_->add_option("--format", export_command_.format, "csv or jsonl")
        ->capture_default_str()
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->type_name("FORMAT");
    export_->add_flag("--board", export_command_.board, "The board, ranked, instead of the results");
    add_board(*export_, export_command_.from, "This season; by default all results, or the current board");
    add_period(*export_, export_command_.from);
  }

  void add_producing() {
    produce_ = command("produce", "Send results to Kafka: a file, or made-up ones",
                       "  scoreline produce results.csv --kafka 127.0.0.1:9092 --season 12\n"
                       "  scoreline produce --generate 100000 --players 5000 --rate 2000 --kafka 127.0.0.1:9092");
    auto& produce = produce_command_;
    add_kafka_settings(*produce_, invocation_.settings);
    auto* file = produce_->add_option("FILE", produce.file, "CSV or JSON lines; - is standard input");
    produce_->add_option("--format", produce.format, "csv or jsonl; by default what the file's name tells")
        ->check(CLI::IsMember({"csv", "jsonl"}))
        ->type_name("FORMAT");
    produce_->add_flag("--raw", produce.raw, "Each line of the file as it is, readable or not")->needs(file);
    auto* generate = produce_->add_option("--generate", produce.generate, "Make up so many results")->type_name("N");
    generate->excludes(file);
    produce_->add_option("--players", produce.players, "Players of the made-up results")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{2}, std::size_t{10'000'000}))
        ->needs(generate)
        ->type_name("P");
    produce_->add_option("--seed", produce.seed, "The same players and points again")->needs(generate)->type_name("N");
    produce_->add_option("--duplicates", produce.duplicates, "How many of them repeat an earlier one, in percent")
        ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{99}))
        ->needs(generate)
        ->type_name("PERCENT");
    add_board(*produce_, produce.into, "Send every result into this season, whatever its row says");
    produce_->add_option("--rate", produce.rate, "Messages a second; by default as fast as they go")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{10'000'000}))
        ->type_name("N");
  }

  void add_reading() {
    const std::string current = "The season; by default the current one";
    top_ =
        command("top", "Show the first players of a board", "  scoreline top 20\n  scoreline top --season 12 --json");
    top_->add_option("N", top_command_.count, "How many")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, kMaxEntries));
    add_board(*top_, top_command_.board, current);
    add_as_of(*top_, top_command_.board);
    add_period(*top_, top_command_.board);
    rank_ = command("rank", "Show where one player stands", "  scoreline rank alice\n  scoreline rank -- -dash-");
    rank_->add_option("PLAYER", rank_command_.player, "The player's id")->required();
    add_board(*rank_, rank_command_.board, current);
    add_as_of(*rank_, rank_command_.board);
    add_period(*rank_, rank_command_.board);
    around_ = command("around", "Show a player among those next to them",
                      "  scoreline around alice --radius 3\n  scoreline around alice --server http://127.0.0.1:8080");
    around_->add_option("PLAYER", around_command_.player, "The player's id")->required();
    around_->add_option("--radius,-r", around_command_.radius, "How many above and below")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{0}, kMaxRadius))
        ->type_name("N");
    add_board(*around_, around_command_.board, current);
    add_as_of(*around_, around_command_.board);
    add_period(*around_, around_command_.board);
    add_queries();
  }

  void add_queries() {
    const auto limit = [](CLI::App& app, std::size_t& number) {
      app.add_option("--limit", number, "How many")
          ->capture_default_str()
          ->check(CLI::Range(std::size_t{1}, kMaxEntries))
          ->type_name("N");
    };
    const auto board = [](CLI::App& app, BoardChoice& choice) {
      add_board(app, choice, "The season; by default the current one");
      add_as_of(app, choice);
      add_period(app, choice);
    };
    ranks_ =
        command("ranks", "Show a board page by page, forward and backward",
                "  scoreline ranks --from 101\n  scoreline ranks --cursor CURSOR      as `next` or `previous` told");
    auto* from = ranks_->add_option("--from", ranks_command_.from, "The first position");
    from->capture_default_str()->check(CLI::Range(std::int64_t{1}, kMaxDeadLetterId))->type_name("POSITION");
    ranks_->add_option("--cursor", ranks_command_.cursor, "Where a page ended or began")->excludes(from);
    limit(*ranks_, ranks_command_.limit);
    board(*ranks_, ranks_command_.board);
    points_ = command("points", "Count the players with better points, or show those within a range",
                      "  scoreline points --above 500\n  scoreline points --from 100 --to 199 --season 12");
    auto* above = points_->add_option("--above", points_command_.above, "How many are better than this");
    above->type_name("POINTS");
    points_->add_option("--from", points_command_.from, "The least points")->excludes(above)->type_name("POINTS");
    points_->add_option("--to", points_command_.to, "The most points")->excludes(above)->type_name("POINTS");
    limit(*points_, points_command_.limit);
    board(*points_, points_command_.board);
    distribution_ = command("distribution", "Show how the points of a board are spread",
                            "  scoreline distribution --buckets 20 --season 12");
    distribution_->add_option("--buckets", distribution_command_.buckets, "How many ranges of points")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, leaderboards::kMaxBuckets))
        ->type_name("N");
    board(*distribution_, distribution_command_.board);
  }

  void add_dead_letters() {
    auto& letters = dead_letters_command_;
    dead_letters_ = command("dead-letters", "Look after the messages that could not be taken",
                            "  scoreline dead-letters list --server http://127.0.0.1:8080\n"
                            "  scoreline dead-letters show 17 --ledger postgresql://… --index redis://…\n"
                            "  scoreline dead-letters replay --all --data DIR");
    dead_letters_->require_subcommand(1);
    dead_letters_->fallthrough();
    const auto deed = [&](const std::string& name, DeadLettersCommand::Deed which, const std::string& help) {
      CLI::App* sub = dead_letters_->add_subcommand(name, help);
      sub->callback([&letters, which] { letters.deed = which; });
      return sub;
    };
    CLI::App* list = deed("list", DeadLettersCommand::Deed::list, "The oldest first, and why each could not be taken");
    list->add_option("--after", letters.after, "Only those behind this one")
        ->check(CLI::Range(std::int64_t{0}, kMaxDeadLetterId))
        ->type_name("ID");
    list->add_option("--limit", letters.limit, "How many")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, kMaxEntries))
        ->type_name("N");
    deed("show", DeadLettersCommand::Deed::show, "One of them, with what is kept of its value")
        ->add_option("ID", letters.ids, "Its id")
        ->required()
        ->expected(1)
        ->check(CLI::Range(std::int64_t{1}, kMaxDeadLetterId));
    const auto on_some = [&](CLI::App* sub) {
      auto* ids = sub->add_option("ID", letters.ids, "Their ids");
      ids->check(CLI::Range(std::int64_t{1}, kMaxDeadLetterId));
      sub->add_flag("--all", letters.all, "All of them")->excludes(ids);
    };
    on_some(deed("replay", DeadLettersCommand::Deed::replay, "Take them in again; what is refused again stays"));
    on_some(deed("discard", DeadLettersCommand::Deed::discard, "Forget them"));
  }

  void add_seasons() {
    auto& season = season_command_;
    seasons_ = command("season", "Open, list and close seasons, and export their archives",
                       "  scoreline season open 13 --start 2026-11-01T00:00:00Z --data DIR\n"
                       "  scoreline season close 12 --server http://127.0.0.1:8080\n"
                       "  scoreline season archive 12 --top-percent 10 --server http://127.0.0.1:8080 > rewards.csv");
    seasons_->require_subcommand(1);
    seasons_->fallthrough();
    seasons_->add_option("--leaderboard,-l", season.leaderboard, "The leaderboard")
        ->capture_default_str()
        ->type_name("NAME");
    const auto deed = [&](const std::string& name, SeasonCommand::Deed which, const std::string& help) {
      CLI::App* sub = seasons_->add_subcommand(name, help);
      sub->callback([&season, which] { season.deed = which; });
      if (which == SeasonCommand::Deed::list) return sub;
      sub->add_option("SEASON", season.season, "Its id")->required()->check(CLI::Range(std::int64_t{0}, kMaxSeasonId));
      return sub;
    };
    deed("list", SeasonCommand::Deed::list, "All that were opened, and their states");
    CLI::App* open = deed("open", SeasonCommand::Deed::open, "Open a season");
    add_time(*open, "--start", season.start, "No result achieved before it is taken");
    add_time(*open, "--end", season.end, "Closed by itself then, when its grace is over");
    deed("close", SeasonCommand::Deed::close, "End a season now, and wait until it is archived");
    CLI::App* archive = deed("archive", SeasonCommand::Deed::archive, "Export the archive of a closed season");
    archive->add_option("--format", season.format, "csv, json or jsonl")
        ->capture_default_str()
        ->check(CLI::IsMember({"csv", "json", "jsonl"}))
        ->type_name("FORMAT");
    auto* top = archive->add_option("--top", season.top, "The first so many, and who shares the last one's rank");
    top->check(CLI::Range(std::int64_t{1}, kMaxDeadLetterId))->type_name("N");
    archive->add_option("--top-percent", season.top_percent, "The first so many of a hundred players")
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{100}))
        ->excludes(top)
        ->type_name("P");
  }

  void add_rest() {
    verify_ = command("verify", "Check every stored result of a data folder", "  scoreline verify --data DIR");
    const std::string current = "The season; by default the current one";
    rebuild_ = command("rebuild", "Make a board again from the ledger while everything goes on",
                       "  scoreline rebuild --season 12 --server http://127.0.0.1:8080\n"
                       "  scoreline rebuild --ledger postgresql://… --index redis://…");
    add_board(*rebuild_, rebuild_command_.board, current);
    add_period(*rebuild_, rebuild_command_.board);
    reconcile_ = command("reconcile", "Compare a board with the ledger, by count, checksum and player",
                         "  scoreline reconcile --server http://127.0.0.1:8080\n"
                         "  scoreline reconcile --repair --season 12 --server http://127.0.0.1:8080");
    reconcile_->add_flag("--repair", reconcile_command_.repair, "Make the board again when they differ");
    add_board(*reconcile_, reconcile_command_.board, current);
    add_period(*reconcile_, reconcile_command_.board);
    CLI::App* audit = command("audit", "Check what is shown against the ledger",
                              "  scoreline audit rank alice --server http://127.0.0.1:8080\n"
                              "  scoreline audit rank alice --season 12 --as-of 2026-10-12T18:00:00Z --data DIR");
    audit->require_subcommand(1);
    audit->fallthrough();
    audit_rank_ = audit->add_subcommand("rank", "Count a player's rank again from the ledger, and compare");
    audit_rank_->add_option("PLAYER", audit_rank_command_.player, "The player's id")->required();
    add_board(*audit_rank_, audit_rank_command_.board, current);
    add_as_of(*audit_rank_, audit_rank_command_.board);
    add_period(*audit_rank_, audit_rank_command_.board);
    audit_log_ = audit->add_subcommand("log", "What was done to leaderboards, by whom and why; the oldest first");
    audit_log_->add_option("--after", audit_log_command_.after, "Only what follows this line")
        ->check(CLI::Range(std::int64_t{0}, kMaxDeadLetterId))
        ->type_name("ID");
    audit_log_->add_option("--limit", audit_log_command_.limit, "How many")
        ->capture_default_str()
        ->check(CLI::Range(std::size_t{1}, kMaxEntries))
        ->type_name("N");
    add_player();
    add_erasures();
    CLI::App* config =
        command("config", "Show the configuration", "  SCORELINE_LISTEN=127.0.0.1:9000 scoreline config print");
    config->require_subcommand(1);
    config->fallthrough();
    config_print_ = config->add_subcommand("print", "The effective configuration, and where each value comes from");
    add_serve_settings(*config_print_, invocation_.settings);
    add_consumer_settings(*config_print_, invocation_.settings);
    version_ = command("version", "Show the version", "  scoreline version --json");
  }

  void add_player() {
    auto& command_for = player_command_;
    player_ = command("player", "Hide a player, restore or erase one",
                      "  scoreline player hide mallory --reason aimbot --server http://127.0.0.1:8080\n"
                      "  scoreline player restore mallory --data DIR\n"
                      "  scoreline player erase mallory --ledger-too --data DIR");
    player_->require_subcommand(1);
    player_->fallthrough();
    const auto deed = [&](const std::string& name, PlayerCommand::Deed which, const std::string& help) {
      CLI::App* sub = player_->add_subcommand(name, help);
      sub->callback([&command_for, which] { command_for.deed = which; });
      sub->add_option("PLAYER", command_for.player, "The player's id")->required();
      sub->add_option("--leaderboard,-l", command_for.leaderboard, "Which leaderboard")->capture_default_str();
      sub->add_option("--reason", command_for.reason, "For the audit log");
      return sub;
    };
    const std::string preview = "Only tell who would move";
    deed("hide", PlayerCommand::Deed::hide, "Off every board, until restored")
        ->add_flag("--preview", command_for.preview, preview);
    deed("restore", PlayerCommand::Deed::restore, "Back, with points and time as they were");
    CLI::App* erase = deed("erase", PlayerCommand::Deed::erase, "Off every board, for good");
    erase->add_flag("--ledger-too", command_for.from_ledger, "The results themselves, too");
    erase->add_flag("--preview", command_for.preview, preview);
    CLI::App* match = command("match", "Void a match",
                              "  scoreline match void 82e3f5e1-d407-5f8e-b53b-485d4eb9e0c6 --preview --data DIR");
    match->require_subcommand(1);
    match->fallthrough();
    match_ = match->add_subcommand("void", "None of its results counts any more");
    match_->add_option("MATCH", match_command_.match, "The match's id")->required();
    match_->add_option("--leaderboard,-l", match_command_.leaderboard, "Which leaderboard")->capture_default_str();
    match_->add_option("--reason", match_command_.reason, "For the audit log");
    match_->add_flag("--preview", match_command_.preview, preview);
  }

  void add_erasures() {
    erasures_ = command("erasures", "Who was erased; erase them again after an old backup was restored",
                        "  scoreline erasures list --data DIR > erasures.jsonl\n"
                        "  scoreline erasures apply erasures.jsonl --data DIR");
    erasures_->require_subcommand(1);
    erasures_->fallthrough();
    erasures_->add_subcommand("list", "As lines of JSON, the oldest first; keep them apart from the backups");
    CLI::App* apply = erasures_->add_subcommand("apply", "Erase again those of FILE who are not erased");
    apply->add_option("FILE", erasures_command_.file, "What `list` wrote")->required();
    apply->add_flag("--ledger-too", erasures_command_.from_ledger, "The results themselves, too");
  }

  Command chosen() const {
    if (serve_->parsed()) return ServeCommand{};
    if (import_->parsed()) return import_command_;
    if (export_->parsed()) return export_command_;
    if (top_->parsed()) return top_command_;
    if (rank_->parsed()) return rank_command_;
    if (around_->parsed()) return around_command_;
    if (verify_->parsed()) return VerifyCommand{};
    if (rebuild_->parsed()) return rebuild_command_;
    if (reconcile_->parsed()) return reconcile_command_;
    if (audit_rank_->parsed()) return audit_rank_command_;
    if (audit_log_->parsed()) return audit_log_command_;
    if (player_->parsed()) return player_command_;
    if (erasures_->parsed()) return erasures_command_;
    if (match_->parsed()) return match_command_;
    if (ranks_->parsed()) return ranks_command_;
    if (points_->parsed()) return points_command_;
    if (distribution_->parsed()) return distribution_command_;
    if (demo_->parsed()) return demo_command_;
    if (produce_->parsed()) return produce_command_;
    if (dead_letters_->parsed()) return dead_letters_command_;
    if (seasons_->parsed()) return season_command_;
    if (auto command = queue_.chosen()) return *std::move(command);
    if (config_print_->parsed()) return ConfigPrintCommand{};
    SCORELINE_CHECK(version_->parsed());
    return VersionCommand{};
  }

  /// CLI11 shows the help of the command that --help was given to.
  std::string help() const { return app_.help(); }

  CLI::App app_{"Scoreline: leaderboards over a ledger of results.", "scoreline"};
  Invocation invocation_;
  QueueCommandLine queue_;
  CLI::App* serve_ = nullptr;
  CLI::App* demo_ = nullptr;
  CLI::App* import_ = nullptr;
  CLI::App* export_ = nullptr;
  CLI::App* top_ = nullptr;
  CLI::App* rank_ = nullptr;
  CLI::App* around_ = nullptr;
  CLI::App* verify_ = nullptr;
  CLI::App* rebuild_ = nullptr;
  CLI::App* reconcile_ = nullptr;
  CLI::App* audit_rank_ = nullptr;
  CLI::App* audit_log_ = nullptr;
  CLI::App* player_ = nullptr;
  CLI::App* erasures_ = nullptr;
  CLI::App* match_ = nullptr;
  CLI::App* ranks_ = nullptr;
  CLI::App* points_ = nullptr;
  CLI::App* distribution_ = nullptr;
  CLI::App* produce_ = nullptr;
  CLI::App* dead_letters_ = nullptr;
  CLI::App* seasons_ = nullptr;
  CLI::App* config_print_ = nullptr;
  CLI::App* version_ = nullptr;
  SeasonCommand season_command_;
  ImportCommand import_command_;
  ExportCommand export_command_;
  TopCommand top_command_;
  RankCommand rank_command_;
  AroundCommand around_command_;
  RebuildCommand rebuild_command_;
  ReconcileCommand reconcile_command_;
  AuditRankCommand audit_rank_command_;
  AuditLogCommand audit_log_command_;
  PlayerCommand player_command_;
  ErasuresCommand erasures_command_;
  MatchCommand match_command_;
  RanksCommand ranks_command_;
  PointsCommand points_command_;
  DistributionCommand distribution_command_;
  DemoCommand demo_command_;
  ProduceCommand produce_command_;
  DeadLettersCommand dead_letters_command_;
};

}  // namespace

Result<Invocation> parse_command_line(const std::vector<std::string>& arguments) { return Parser().parse(arguments); }

}  // namespace scoreline::cli
