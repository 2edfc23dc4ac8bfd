#include "adapters/sqlite/migrations.h"

#include <fmt/format.h>

#include <string>

namespace scoreline::sqlite {
namespace {

Result<void> apply(Connection& connection, const Migration& migration) {
  if (auto begun = connection.run("BEGIN IMMEDIATE"); !begun) return begun;
  const std::string sql = fmt::format("{}\nPRAGMA user_version = {};\nCOMMIT;", migration.sql, migration.number);
  auto applied = connection.run(sql.c_str());
  if (!applied) {
    static_cast<void>(connection.run("ROLLBACK"));  // the error that counts is the first one
    applied.error().detail = fmt::format("migration {}: {}", migration.number, applied.error().detail);
  }
  return applied;
}

/// Everything that defines the schema, as one text.
Result<std::string> schema_text(Connection& connection) {
  auto statement =
      connection.prepare("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY name");
  if (!statement) return fail(statement.error());
  std::string text;
  Step step;
  while ((step = statement->step()) == Step::row) {
    for (int column = 0; column < 4; ++column) text.append(statement->bytes(column)) += '\n';
  }
  if (step == Step::failed) return fail(connection.error("reading the schema"));
  return text;
}

}  // namespace

Result<std::int64_t> schema_version(Connection& connection) { return connection.integer("PRAGMA user_version"); }

Result<void> migrate(Connection& connection) {
  const auto version = schema_version(connection);
  if (!version) return fail(version.error());
  const std::int64_t ours = migrations().back().number;
  if (*version > ours) {
    return fail(Code::conflict,
                fmt::format("the ledger was written by a newer Scoreline (schema {}, this one knows {}):"
                            " run that version or a later one",
                            *version, ours));
  }
  if (*version == 0) {
    const auto objects = connection.integer("SELECT count(*) FROM sqlite_schema");
    if (!objects) return fail(objects.error());
    if (*objects != 0)
      return fail(Code::damaged, "ledger.sqlite has tables but no schema version: not a ledger of ours");
  }
  for (const Migration& migration : migrations()) {
    if (migration.number <= *version) continue;
    if (auto applied = apply(connection, migration); !applied) return applied;
  }

  auto model = Connection::open_in_memory();
  if (!model) return fail(model.error());
  for (const Migration& migration : migrations()) {
    if (auto applied = apply(*model, migration); !applied) return applied;
  }
  const auto expected = schema_text(*model);
  if (!expected) return fail(expected.error());
  const auto found = schema_text(connection);
  if (!found) return fail(found.error());
  if (*found != *expected) return fail(Code::damaged, "the schema of ledger.sqlite is not the one its version names");
  return {};
}

}  // namespace scoreline::sqlite
