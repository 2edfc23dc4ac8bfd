// The schema, as numbered SQL files (migrations/) embedded at build time.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "adapters/sqlite/connection.h"
#include "base/error.h"

namespace scoreline::sqlite {

struct Migration {
  std::int64_t number;  ///< from 1; the database keeps the last one applied as its user_version
  std::string_view sql;
};

/// All of them, in order.
std::span<const Migration> migrations();

/// The number of the last migration applied to a database; 0 for a new one.
Result<std::int64_t> schema_version(Connection& connection);

/// Applies what is missing, each in its own transaction, then checks that the schema is the one that the migrations
/// make, to the letter. Errors: Code::conflict for a schema newer than ours (its data is fine, we are too old),
/// Code::damaged for one that differs, and those of writing.
Result<void> migrate(Connection& connection);

}  // namespace scoreline::sqlite
