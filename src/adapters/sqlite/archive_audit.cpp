#include <fmt/format.h>

#include "adapters/sqlite/ledger_audit.h"
#include "adapters/sqlite/rows.h"

namespace scoreline::sqlite {
namespace {

/// A statement that failed: damage is a finding, anything else an error.
Result<void> note(const Connection& connection, AuditReport& report) {
  Error error = connection.error("reading an archive");
  if (error.code != Code::damaged) return fail(std::move(error));
  report.findings.push_back(std::move(error.detail));
  return {};
}

}  // namespace

Result<void> check_archives(Connection& connection, AuditReport& report) {
  auto closings = connection.prepare(
      "SELECT leaderboard, season_id, archive, players, anonymous, checksum, (SELECT count(*) FROM archived_players "
      "WHERE archive = closings.archive) FROM closings WHERE state = 'closed'");
  auto lines = connection.prepare(kArchiveRows);
  if (!closings || !lines) return note(connection, report);
  RowHasher hasher;
  Step step;
  while ((step = closings->step()) == Step::row) {
    std::uint64_t hash = 0;
    std::int64_t count = 0, in_order = 0;
    lines->bind(1, closings->integer(2));
    Step line;
    while ((line = lines->step()) == Step::row) {
      hash += hasher.row(Table::archives, *lines);
      if (lines->integer(0) == ++count) ++in_order;
    }
    if (line == Step::failed) {
      if (auto noted = note(connection, report); !noted) return noted;
    }
    lines->reset();
    report.archived += static_cast<std::uint64_t>(count);
    const std::int64_t players = closings->integer(3), anonymous = closings->integer(4);
    if (count == players && in_order == count && closings->integer(6) == players - anonymous &&
        hash == static_cast<std::uint64_t>(closings->integer(5))) {
      continue;
    }
    report.findings.push_back(
        fmt::format("the archive of season {} of leaderboard {} is not the one that was closed: expected {} lines "
                    "with checksum {:016x} and {} players to find, found {} with {:016x} and {}",
                    closings->integer(1), closings->bytes(0), players, static_cast<std::uint64_t>(closings->integer(5)),
                    players - anonymous, count, hash, closings->integer(6)));
  }
  if (step == Step::failed) return note(connection, report);
  return {};
}

}  // namespace scoreline::sqlite
