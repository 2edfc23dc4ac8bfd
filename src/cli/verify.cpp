#include <fmt/format.h>

#include "cli/commands.h"
#include "http/json_text.h"

namespace scoreline::cli {
namespace {

void append_lines(std::string& out, const std::vector<std::string>& lines) {
  out.push_back('[');
  for (const auto& line : lines) {
    if (out.back() != '[') out.push_back(',');
    http::append_quoted(out, line);
  }
  out.push_back(']');
}

std::string findings_json(const Findings& found) {
  std::string out = fmt::format(
      R"({{"ok":{},"batches":{},"results":{},"erasedResults":{},"leaderboards":{},"seasons":{},"damage":)",
      found.damage.empty(), found.batches, found.results, found.erased_results, found.leaderboards, found.seasons);
  append_lines(out, found.damage);
  out.append(R"(,"notes":)");
  append_lines(out, found.notes);
  out.append("}\n");
  return out;
}

}  // namespace

Result<int> run_verify(const VerifyCommand&, Context& context) {
  if (context.remote) return fail(Code::usage, "a data folder is verified where it lies: use --data", "server");
  auto folder = context.open_folder();
  if (!folder) return fail(std::move(folder.error()));
  const auto found = (*folder)->verify();
  if (!found) return fail(found.error());
  const bool whole = found->damage.empty();
  if (context.json) {
    context.out << findings_json(*found);
    return whole ? 0 : traits(Code::damaged).exit_code;
  }
  context.out << fmt::format("checked {} results ({} of them erased) in {} batches, {} leaderboards, {} seasons\n",
                             found->results, found->erased_results, found->batches, found->leaderboards,
                             found->seasons);
  for (const auto& line : found->notes) context.out << "note: " << line << '\n';
  for (const auto& line : found->damage) context.out << "damaged: " << line << '\n';
  if (!whole) return fail(Code::damaged, "the ledger is not what was written; restore the last backup that verifies");
  context.out << "the ledger is whole: rows, order, index, checksums and their chain agree\n";
  return 0;
}

}  // namespace scoreline::cli
