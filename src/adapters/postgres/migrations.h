// The schema, as numbered SQL files (migrations/) embedded at build time.
#pragma once

#include <cstdint>
#include <span>

#include "adapters/postgres/session.h"
#include "base/error.h"

namespace scoreline::postgres {

struct Migration {
  std::int64_t number;  ///< from 1; the database keeps the last one applied as ledger.schema_version
  const char* sql;
};

/// All of them, in order.
std::span<const Migration> migrations();

/// Applies what is missing, in one transaction, one node at a time. A schema that is ours already is only read, so a
/// server that takes no writes will do. After an error the session may be inside a transaction: let it go. Errors:
/// Code::conflict for a schema newer than ours, and those of writing.
Result<void> migrate(Session& session, Monotonic deadline);

}  // namespace scoreline::postgres
