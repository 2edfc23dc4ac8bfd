// The options of a queue with their names, for everything that reads or writes them: doors and stores.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "queues/options.h"

namespace scoreline::queues {

/// Calls `visit(name, member)` for each option, in order: the name as JSON writes it, the member as options.h has it
/// (a Durability, an int, a size, or milliseconds). `options` may be const.
template <typename Options, typename Visit>
void visit_option_fields(Options& options, Visit visit) {
  visit("durability", options.durability);
  visit("maxAttempts", options.max_attempts);
  visit("crashLimit", options.crash_limit);
  visit("lease", options.lease);
  visit("backoff", options.backoff);
  visit("maxBackoff", options.max_backoff);
  visit("crashBackoff", options.crash_backoff);
  visit("dedupFor", options.dedup_for);
  visit("aging", options.aging);
  visit("maxLeased", options.max_leased);
  visit("reserved", options.reserved);
  visit("reservedFor", options.reserved_for);
  visit("maxDead", options.max_dead);
  visit("deadFor", options.dead_for);
  visit("maxPayload", options.max_payload);
  visit("maxJobs", options.max_jobs);
}

/// As stores keep them: `durability=disk maxAttempts=10 …`, durations in milliseconds.
std::string format_options(const QueueOptions& options);
/// Options that are not named have their defaults. Errors: Code::damaged.
Result<QueueOptions> parse_options(std::string_view text);

}  // namespace scoreline::queues
