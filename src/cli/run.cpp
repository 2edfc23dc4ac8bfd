#include <string>

#include "cli/commands.h"
#include "cli/context.h"
#include "http/json_text.h"

namespace scoreline::cli {
namespace {

/// Finds the file that runs each kind of command.
struct Runner {
  Context& context;
  Result<int> operator()(const ServeCommand& command) { return run_serve(command, context); }
  Result<int> operator()(const ImportCommand& command) { return run_import(command, context); }
  Result<int> operator()(const ExportCommand& command) { return run_export(command, context); }
  Result<int> operator()(const TopCommand& command) { return run_top(command, context); }
  Result<int> operator()(const RankCommand& command) { return run_rank(command, context); }
  Result<int> operator()(const AroundCommand& command) { return run_around(command, context); }
  Result<int> operator()(const RanksCommand& command) { return run_ranks(command, context); }
  Result<int> operator()(const PointsCommand& command) { return run_points(command, context); }
  Result<int> operator()(const DistributionCommand& command) { return run_distribution(command, context); }
  Result<int> operator()(const MatchCommand& command) { return run_match(command, context); }
  Result<int> operator()(const VerifyCommand& command) { return run_verify(command, context); }
  Result<int> operator()(const RebuildCommand& command) { return run_rebuild(command, context); }
  Result<int> operator()(const ReconcileCommand& command) { return run_reconcile(command, context); }
  Result<int> operator()(const AuditRankCommand& command) { return run_audit_rank(command, context); }
  Result<int> operator()(const PlayerCommand& command) { return run_player(command, context); }
  Result<int> operator()(const ErasuresCommand& command) { return run_erasures(command, context); }
  Result<int> operator()(const AuditLogCommand& command) { return run_audit_log(command, context); }
  Result<int> operator()(const ProduceCommand& command) { return run_produce(command, context); }
  Result<int> operator()(const DeadLettersCommand& command) { return run_dead_letters(command, context); }
  Result<int> operator()(const SeasonCommand& command) { return run_season(command, context); }
  Result<int> operator()(const QueueCommand& command) { return run_queue(command, context); }
  Result<int> operator()(const QueueWorkCommand& command) { return run_queue_work(command, context); }
  Result<int> operator()(const DemoCommand& command) { return run_demo(command, context); }
  Result<int> operator()(const ConfigPrintCommand& command) { return run_config_print(command, context); }
  Result<int> operator()(const VersionCommand& command) { return run_version(command, context); }
  Result<int> operator()(const HelpCommand& command) {
    context.out << command.text;
    return 0;
  }
};

}  // namespace

int run(const Command& command, Context& context) {
  const auto done = std::visit(Runner{context}, command);
  if (!done) {
    tell_error(context.err, done.error(), context.json);
    return traits(done.error().code).exit_code;
  }
  context.out.flush();
  if (!context.out) {
    tell_error(context.err, Error{Code::storage_failed, "standard output cannot be written", {}, std::nullopt},
               context.json);
    return traits(Code::storage_failed).exit_code;
  }
  return *done;
}

void tell_error(std::ostream& err, const Error& error, bool json) {
  std::string line;
  if (json) {
    line.append(R"({"code":)");
    http::append_quoted(line, traits(error.code).name);
    line.append(R"(,"detail":)");
    http::append_quoted(line, error.detail);
    if (!error.field.empty()) {
      line.append(R"(,"field":)");
      http::append_quoted(line, error.field);
    }
    line.append("}");
  } else {
    line.append("scoreline: ");
    if (!error.field.empty()) line.append(error.field).append(": ");
    line.append(error.detail);
    for (char& c : line) {
      if (c == '\n' || c == '\r') c = ' ';
    }
  }
  err << line << '\n' << std::flush;
}

}  // namespace scoreline::cli
