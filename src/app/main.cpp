// The program `scoreline`: reads what is asked for, and gives each command the concrete things it may use.

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <exception>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

#include "adapters/files/result_sinks.h"
#include "adapters/files/result_sources.h"
#include "adapters/kafka/kafka_sink.h"
#include "app/backing.h"
#include "app/config.h"
#include "app/data_folder.h"
#include "app/engine.h"
#include "app/http_node.h"
#include "app/kafka_log.h"
#include "app/scratch_folder.h"
#include "app/stop_signal.h"
#include "cli/context.h"
#include "cli/folder_letters.h"
#include "cli/folder_store.h"
#include "cli/local_answerer.h"
#include "cli/server_answerer.h"
#include "cli/server_letters.h"
#include "cli/server_store.h"
#include "http/result_reader.h"

namespace scoreline::app {
namespace {

constexpr std::chrono::milliseconds kServerDeadline = std::chrono::seconds{30};

void start_log(const std::string& level) {
  spdlog::set_default_logger(spdlog::stderr_logger_mt("scoreline"));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  spdlog::set_level(spdlog::level::from_str(level));
}

/// One JSON object, read as the HTTP door reads it.
Result<ingest::Submission> parse_json_result(std::string_view line) {
  auto batch = http::read_ndjson_results(line, leaderboards::kMainLeaderboard);
  if (!batch) return fail(std::move(batch.error()));
  if (!batch->rejected.empty()) return fail(std::move(batch->rejected.front().error));
  SCORELINE_CHECK(batch->submissions.size() == 1);
  return std::move(batch->submissions.front());
}

/// For what a running server could do as well.
Error with_server_hint(Error error) {
  if (error.code == Code::locked) error.detail += "; ask the server that runs there with --server URL";
  return error;
}

/// What one run of the program works with.
class Program {
 public:
  Program(cli::Invocation invocation, Config config, const StopSignal& stop)
      : invocation_(std::move(invocation)), config_(std::move(config)), stop_(stop) {}

  int run() {
    cli::Context context{.out = std::cout,
                         .err = std::cerr,
                         .json = invocation_.json,
                         .progress = !invocation_.json && ::isatty(STDERR_FILENO) == 1,
                         .clock = clock_,
                         .random = random_,
                         .wait = wait_,
                         .open_store = [this] { return open_store(); },
                         .open_letters = [this] { return open_letters(); },
                         .open_folder = [this] { return open_folder(); },
                         .start_node = [this] { return start_node(); },
                         .open_answerer = [this] { return open_answerer(); },
                         .told_to_stop = [this](std::chrono::milliseconds at_most) { return stop_.wait_for(at_most); },
                         .remote = !config_.server.empty(),
                         .shared = is_shared_index(config_.index),
                         .open_source = open_source,
                         .open_message_sink = [this] { return open_message_sink(); },
                         .open_rejected = files::rejected_sink,
                         .open_result_sink =
                             [](const cli::ExportCommand& command, const leaderboards::Definition& definition) {
                               return open_results_to(command, definition);
                             },
                         .open_board_sink = [](const cli::ExportCommand& command) { return open_board_to(command); },
                         .configuration = [this](bool json) { return print(config_, json); }};
    return cli::run(invocation_.command, context);
  }

 private:
  EngineOptions engine_options() {
    return {.data = config_.data,
            .ledger = config_.ledger,
            .index = config_.index,
            .queues = config_.queues,
            .definitions = config_.leaderboards,
            .clock = &clock_,
            .random = &random_,
            .tell = [](const std::string& what) { spdlog::warn("{}", what); }};
  }

  Result<std::unique_ptr<cli::Store>> open_store() {
    if (!config_.server.empty()) {
      auto client = http::Client::to(config_.server, kServerDeadline);
      if (!client) return fail(std::move(client.error()));
      return std::make_unique<cli::ServerStore>(std::move(*client), wait_);
    }
    auto engine = open_engine();
    if (!engine) return fail(std::move(engine.error()));
    auto& service = (*engine)->service();
    auto& pipeline = (*engine)->pipeline();
    return std::make_unique<cli::FolderStore>(std::move(*engine), service, pipeline);
  }

  Result<std::unique_ptr<cli::LetterStore>> open_letters() {
    if (!config_.server.empty()) {
      auto client = http::Client::to(config_.server, kServerDeadline);
      if (!client) return fail(std::move(client.error()));
      return std::make_unique<cli::ServerLetters>(std::move(*client));
    }
    auto engine = open_engine();
    if (!engine) return fail(std::move(engine.error()));
    auto& pipeline = (*engine)->pipeline();
    auto& letters = (*engine)->dead_letters();
    return std::make_unique<cli::FolderLetters>(std::move(*engine), pipeline, letters, http::read_message_result);
  }

  Result<std::unique_ptr<cli::Answerer>> open_answerer() {
    if (!config_.server.empty()) {
      return cli::ServerAnswerer::to(config_.server, cli::answer_deadline(invocation_.command, kServerDeadline));
    }
    auto engine = open_engine();
    if (!engine) return fail(std::move(engine.error()));
    auto& service = (*engine)->service();
    auto& pipeline = (*engine)->pipeline();
    const auto reads = (*engine)->index_is_shared() ? http::IndexReads::waiting : http::IndexReads::inline_;
    queues::JobStore* jobs = nullptr;
    if (cli::is_about_queues(invocation_.command)) {
      if (auto opened = (*engine)->jobs().wait_opened(); !opened) return fail(std::move(opened.error()));
      jobs = &(*engine)->jobs();
    }
    auto answerer = std::make_unique<cli::LocalAnswerer>(std::move(*engine), service, pipeline, reads);
    if (jobs != nullptr) answerer->keep_jobs(*jobs);
    return answerer;
  }

  /// With its boards made.
  Result<std::shared_ptr<Engine>> open_engine() {
    if (config_.ledger.empty() && !cli::makes_folder(invocation_.command)) {
      if (auto there = check_is_there(config_.data); !there) return fail(std::move(there.error()));
    }
    auto opened = Engine::open(engine_options());
    if (!opened) return fail(with_server_hint(std::move(opened.error())));
    for (const auto& note : (*opened)->notes()) spdlog::warn("{}", note);
    std::shared_ptr<Engine> engine = std::move(*opened);
    if (auto rebuilt = engine->rebuild(); !rebuilt) return fail(std::move(rebuilt.error()));
    return engine;
  }

  Result<std::unique_ptr<cli::Folder>> open_folder() {
    if (!config_.ledger.empty()) {
      return fail(Code::usage, "this command reads an embedded ledger: name its folder with --data", "ledger");
    }
    auto folder = DataFolder::open(config_.data);
    if (!folder) return fail(with_server_hint(std::move(folder.error())));
    return std::move(*folder);
  }

  Result<std::unique_ptr<cli::Node>> start_node() {
    EngineOptions options = engine_options();
    if (std::holds_alternative<cli::DemoCommand>(invocation_.command)) {
      config_.kafka.brokers.clear();  // what the demo took would be committed, and gone with its folder
      if (config_.origin_of("data") == Origin::built_in) {
        auto scratch = ScratchFolder::make();
        if (!scratch) return fail(std::move(scratch.error()));
        scratch_ = std::move(*scratch);
        options.data = scratch_->path();
      }
      if (options.definitions.empty()) options.definitions.push_back(demo_leaderboard());
    }
    auto node = HttpNode::start(config_, options, stop_, clock_);
    if (!node) return fail(std::move(node.error()));
    return std::move(*node);
  }

  /// Points that add up keep a board moving; the best single result soon stands still.
  static leaderboards::Definition demo_leaderboard() {
    leaderboards::Definition definition{
        .name = leaderboards::LeaderboardName::trusted(std::string(leaderboards::kMainLeaderboard))};
    definition.rule = leaderboards::Rule::sum;
    return definition;
  }

  static Result<std::unique_ptr<ingest::ResultSource>> open_source(const std::string& file,
                                                                   const std::optional<std::string>& named) {
    const auto format = named ? files::parse_format(*named) : files::format_of(file);
    if (!format) return fail(format.error());
    auto input = files::open_input(file);
    if (!input) return fail(std::move(input.error()));
    return files::open_results(std::move(*input), *format, parse_json_result);
  }

  Result<std::unique_ptr<ingest::MessageSink>> open_message_sink() {
    return kafka::open_sink(config_.kafka, clock_, log_kafka);
  }

  static Result<std::unique_ptr<ingest::ResultSink>> open_results_to(const cli::ExportCommand& command,
                                                                     const leaderboards::Definition& definition) {
    const auto format = files::parse_format(command.format);
    if (!format) return fail(format.error());
    return files::open_result_sink(command.output, *format, definition);
  }

  static Result<std::unique_ptr<ingest::BoardSink>> open_board_to(const cli::ExportCommand& command) {
    const auto format = files::parse_format(command.format);
    if (!format) return fail(format.error());
    return files::open_board_sink(command.output, *format);
  }

  cli::Invocation invocation_;
  Config config_;
  const StopSignal& stop_;
  SystemClock clock_;
  SeededRandom random_{system_seed()};
  const std::function<void(std::chrono::milliseconds)> wait_ = [](std::chrono::milliseconds pause) {
    std::this_thread::sleep_for(pause);
  };
  std::unique_ptr<ScratchFolder> scratch_;  // goes when the command has ended, and the engine with it
};

std::map<std::string, std::string> environment() {
  std::map<std::string, std::string> variables;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view text(*each);
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

int run(const std::vector<std::string>& arguments) {
  const bool json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const auto refuse = [json](const Error& error) {
    cli::tell_error(std::cerr, error, json);
    return traits(error.code).exit_code;
  };
  auto invocation = cli::parse_command_line(arguments);
  if (!invocation) return refuse(invocation.error());
  auto config = load_config({invocation->config_file, environment(), invocation->settings});
  if (!config) return refuse(config.error());
  start_log(config->log_level);
  // A command that only reads or writes files is stopped by a signal as any program is.
  const StopSignal stop(cli::runs_until_stopped(invocation->command) ? StopSignal::Mode::wait_for_it
                                                                     : StopSignal::Mode::die_of_it);
  return Program(std::move(*invocation), std::move(*config), stop).run();
}

}  // namespace
}  // namespace scoreline::app

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  try {
    return scoreline::app::run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    scoreline::cli::tell_error(std::cerr, {scoreline::Code::internal, error.what(), {}, std::nullopt}, false);
    return scoreline::traits(scoreline::Code::internal).exit_code;
  }
}
