#include "cli/commands.h"

namespace scoreline::cli {

Result<int> run_version(const VersionCommand&, Context& context) {
  if (context.json) {
    context.out << R"({"name":"scoreline","version":")" SCORELINE_VERSION "\"}\n";
  } else {
    context.out << "scoreline " SCORELINE_VERSION "\n";
  }
  return 0;
}

}  // namespace scoreline::cli
