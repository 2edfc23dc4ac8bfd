// The commands, one file each. All return the process's exit code, or the error that ends them.
#pragma once

#include "base/error.h"
#include "cli/context.h"

namespace scoreline::cli {

Result<int> run_serve(const ServeCommand& command, Context& context);
Result<int> run_import(const ImportCommand& command, Context& context);
Result<int> run_export(const ExportCommand& command, Context& context);
Result<int> run_top(const TopCommand& command, Context& context);
Result<int> run_rank(const RankCommand& command, Context& context);
Result<int> run_around(const AroundCommand& command, Context& context);
Result<int> run_ranks(const RanksCommand& command, Context& context);
Result<int> run_points(const PointsCommand& command, Context& context);
Result<int> run_distribution(const DistributionCommand& command, Context& context);
Result<int> run_verify(const VerifyCommand& command, Context& context);
Result<int> run_rebuild(const RebuildCommand& command, Context& context);
Result<int> run_reconcile(const ReconcileCommand& command, Context& context);
Result<int> run_audit_rank(const AuditRankCommand& command, Context& context);
Result<int> run_player(const PlayerCommand& command, Context& context);
Result<int> run_match(const MatchCommand& command, Context& context);
Result<int> run_erasures(const ErasuresCommand& command, Context& context);
Result<int> run_audit_log(const AuditLogCommand& command, Context& context);
Result<int> run_produce(const ProduceCommand& command, Context& context);
Result<int> run_dead_letters(const DeadLettersCommand& command, Context& context);
Result<int> run_season(const SeasonCommand& command, Context& context);
Result<int> run_queue(const QueueCommand& command, Context& context);
Result<int> run_queue_work(const QueueWorkCommand& command, Context& context);
Result<int> run_demo(const DemoCommand& command, Context& context);
Result<int> run_config_print(const ConfigPrintCommand& command, Context& context);
Result<int> run_version(const VersionCommand& command, Context& context);

/// Errors: usage, where the boards live in the memory of another process that was not named.
Result<void> check_can_look_after_boards(const Context& context);

}  // namespace scoreline::cli
