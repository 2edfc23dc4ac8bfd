#include "adapters/postgres/migrations.h"

#include <fmt/format.h>

namespace scoreline::postgres {
namespace {

// Not to_regclass(): within a transaction it may remember that there was none, before another node made one.
constexpr Statement kHasLedger{
    "has_ledger", "SELECT EXISTS (SELECT FROM pg_class WHERE relname = 'ledger' AND pg_table_is_visible(oid))"};
constexpr Statement kSchemaVersion{"schema_version", "SELECT schema_version FROM ledger"};
constexpr Statement kSetSchemaVersion{"set_schema_version", "UPDATE ledger SET schema_version = $1::bigint"};
// Any number that no other program would choose: `Scorelin` in ASCII.
constexpr Statement kLock{"lock_migrations", "SELECT pg_advisory_xact_lock(6008768864960932206)"};

Error error_of(const Failure& failure) { return to_error(failure, "preparing the ledger's tables"); }

/// 0 when there is no ledger.
Result<std::int64_t> schema_version(Session& session, Monotonic deadline) {
  const auto found = session.run({&kHasLedger, {}}, deadline);
  if (!found) return fail(error_of(found.error()));
  if (found->integer(0, 0) == 0) return 0;
  const auto version = session.run({&kSchemaVersion, {}}, deadline);
  if (!version) return fail(error_of(version.error()));
  const std::int64_t ours = migrations().back().number;
  if (version->size() != 1) return fail(Code::damaged, "table ledger must have one row");
  if (version->integer(0, 0) > ours) {
    return fail(Code::conflict,
                fmt::format("the ledger was written by a newer Scoreline (schema {}, this one knows {}): "
                            "run that version or a later one",
                            version->integer(0, 0), ours));
  }
  return version->integer(0, 0);
}

Result<void> run(Session& session, const char* script, Monotonic deadline) {
  if (auto done = session.run_script(script, deadline); !done) return fail(error_of(done.error()));
  return {};
}

}  // namespace

Result<void> migrate(Session& session, Monotonic deadline) {
  const std::int64_t ours = migrations().back().number;
  auto version = schema_version(session, deadline);
  if (!version) return fail(version.error());
  if (*version == ours) return {};

  // Waiting for another node that migrates has our own deadline.
  if (auto begun = run(session, "BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0", deadline);
      !begun) {
    return begun;
  }
  if (const auto locked = session.run({&kLock, {}}, deadline); !locked) return fail(error_of(locked.error()));
  version = schema_version(session, deadline);
  if (!version) return fail(version.error());
  for (const Migration& migration : migrations()) {
    if (migration.number <= *version) continue;
    if (auto applied = run(session, migration.sql, deadline); !applied) {
      applied.error().detail = fmt::format("migration {}: {}", migration.number, applied.error().detail);
      return applied;
    }
  }
  Call set{&kSetSchemaVersion, {}};
  set.parameters.add(ours);
  if (const auto done = session.run(set, deadline); !done) return fail(error_of(done.error()));
  return run(session, "COMMIT", deadline);
}

}  // namespace scoreline::postgres
