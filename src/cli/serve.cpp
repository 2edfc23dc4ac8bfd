#include "cli/commands.h"

namespace scoreline::cli {

Result<int> run_serve(const ServeCommand&, Context& context) {
  if (context.remote) return fail(Code::usage, "serve opens a data folder itself: leave --server away", "server");
  auto node = context.start_node();
  if (!node) return fail(std::move(node.error()));
  context.out << "listening on " << (*node)->url() << std::endl;
  const auto ready = (*node)->wait_ready();
  if (!ready) return fail(ready.error());
  if (!*ready) return 0;
  context.out << "ready" << std::endl;
  if (auto stopped = (*node)->wait_stopped(); !stopped) return fail(std::move(stopped.error()));
  return 0;
}

}  // namespace scoreline::cli
