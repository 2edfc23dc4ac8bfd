// `scoreline queue …` on the command line.
//
// Thread safety: none.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "cli/command_line.h"

namespace scoreline::cli {

/// Its commands, bound to the places their values go to; it must stay where it is while a line is parsed.
class QueueCommandLine {
 public:
  QueueCommandLine() = default;
  QueueCommandLine(const QueueCommandLine&) = delete;
  QueueCommandLine& operator=(const QueueCommandLine&) = delete;

  void add_to(CLI::App& app);
  /// The command that was given; nullopt: another one was.
  std::optional<Command> chosen() const;

 private:
  CLI::App* deed(const std::string& name, QueueCommand::Deed which, const std::string& help);
  CLI::App* on_lease(const std::string& name, QueueCommand::Deed which, const std::string& help);
  void add_putting_in();
  void add_working();
  void add_looking();
  void add_operating();
  void add_schedules();

  CLI::App* queue_ = nullptr;
  CLI::App* work_ = nullptr;
  QueueCommand command_;
  QueueWorkCommand work_command_;
};

}  // namespace scoreline::cli
