#include "cli/commands.h"

namespace scoreline::cli {

Result<int> run_config_print(const ConfigPrintCommand&, Context& context) {
  context.out << context.configuration(context.json);
  return 0;
}

}  // namespace scoreline::cli
