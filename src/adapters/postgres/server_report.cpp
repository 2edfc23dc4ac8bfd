#include "adapters/postgres/server_report.h"

namespace scoreline::postgres {
namespace {

constexpr Statement kSettings{
    "settings",
    "SELECT current_setting('fsync'), current_setting('full_page_writes'), current_setting('synchronous_commit'), "
    "current_setting('synchronous_standby_names'), current_setting('data_checksums'), pg_is_in_recovery()"};

}  // namespace

std::string_view to_string(Durability durability) {
  switch (durability) {
    case Durability::os: return "os";
    case Durability::disk: return "disk";
    case Durability::replicated: return "replicated";
  }
  return "os";
}

Result<ServerReport> report_on(Session& session, Monotonic deadline) {
  const auto settings = session.run({&kSettings, {}}, deadline);
  if (!settings) return fail(to_read_error(settings.error(), "reading the server's settings"));
  const auto is = [&settings](int column, std::string_view value) { return settings->bytes(0, column) == value; };
  ServerReport report;
  const auto lower = [&report](const char* note) {
    report.durability = Durability::os;
    report.notes.emplace_back(note);
  };
  if (!is(2, "local") && !is(3, "")) report.durability = Durability::replicated;
  if (is(0, "off")) lower("fsync is off on the server: a power failure may lose or damage the ledger");
  if (is(1, "off")) lower("full_page_writes is off on the server: a power failure may damage the ledger");
  if (is(2, "off")) lower("synchronous_commit is off: a crash of the server may lose the last answered results");
  if (is(4, "off")) {
    report.notes.emplace_back("data_checksums is off on the server: damage on its disk may go unnoticed");
  }
  if (settings->integer(0, 5) != 0) report.notes.emplace_back("the server is a standby: it takes no results");
  return report;
}

}  // namespace scoreline::postgres
