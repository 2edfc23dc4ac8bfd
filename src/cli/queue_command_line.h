// The words of `scoreline queue`.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>

#include "cli/command_line.h"

namespace scoreline::cli {

class QueueCommandLine {
 public:
  explicit QueueCommandLine(CLI::App& app);
  /// Not there when another command was given.
  std::optional<Command> chosen() const;

 private:
  using Deed = QueueCommand::Deed;
  CLI::App* add(const char* name, Deed deed, const char* help);
  CLI::App* add_of_job(const char* name, Deed deed, const char* help);
  CLI::App* add_of_lease(const char* name, Deed deed, const char* help);
  void add_putting_in();
  void add_handing_out();
  void add_operating();
  void add_work();

  CLI::App* queue_ = nullptr;
  CLI::App* work_ = nullptr;
  QueueCommand command_;
  QueueWorkCommand work_command_;
};

}  // namespace scoreline::cli
