// What a command may use. The composition root fills it in; a command opens only what it needs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "cli/answerer.h"
#include "cli/letter_store.h"
#include "cli/store.h"
#include "ingest/message_sink.h"
#include "ingest/result_files.h"
#include "leaderboards/catalogue.h"
#include "leaderboards/ledger.h"

namespace scoreline::cli {

/// What a check of a whole ledger met.
struct Findings {
  std::uint64_t batches = 0;
  std::uint64_t results = 0;
  std::uint64_t erased_results = 0;  ///< of these, those that do not count any more
  std::uint64_t leaderboards = 0;
  std::uint64_t seasons = 0;
  std::vector<std::string> damage;  ///< one line each; empty: all is well
  std::vector<std::string> notes;   ///< no damage, but what an operator should know
};

/// A data folder, opened and locked, its boards not made.
class Folder {
 public:
  virtual ~Folder() = default;
  /// Errors: storage_failed when it cannot be read.
  virtual Result<Findings> verify() = 0;
  virtual leaderboards::Ledger& ledger() = 0;
  virtual const leaderboards::Catalogue& catalogue() = 0;
};

/// A server that runs in this process.
class Node {
 public:
  virtual ~Node() = default;
  /// `http://127.0.0.1:8080`, with the port that was found for port 0.
  virtual std::string url() const = 0;
  virtual ingest::Pipeline& pipeline() = 0;
  /// Waits until the boards are made, or the process is told to stop (false), or they cannot be made.
  virtual Result<bool> wait_ready() = 0;
  /// Waits until the process is told to stop; then lets open requests finish. Errors: why it had to stop by itself.
  virtual Result<void> wait_stopped() = 0;
};

struct Context {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  bool progress = false;  ///< the error stream is a terminal, and a bar is welcome there
  const Clock& clock;
  Random& random;
  std::function<void(std::chrono::milliseconds)> wait;

  std::function<Result<std::unique_ptr<Store>>()> open_store;
  std::function<Result<std::unique_ptr<LetterStore>>()> open_letters;
  std::function<Result<std::unique_ptr<Folder>>()> open_folder;
  std::function<Result<std::unique_ptr<Node>>()> start_node;
  /// The server that was given, or an engine over the data folder or the shared stores.
  std::function<Result<std::unique_ptr<Answerer>>()> open_answerer;
  /// Whether SIGTERM or SIGINT came within `at_most`; of a command that runs until it is stopped. The next call waits
  /// for the next one.
  std::function<bool(std::chrono::milliseconds at_most)> told_to_stop;
  /// Whether --server was given.
  bool remote = false;
  /// Whether the stores are ones that other processes share.
  bool shared = false;

  /// `format`: csv or jsonl; absent: what the file's name tells.
  std::function<Result<std::unique_ptr<ingest::ResultSource>>(const std::string& file,
                                                              const std::optional<std::string>& format)>
      open_source;
  /// Errors: usage, when no brokers are configured.
  std::function<Result<std::unique_ptr<ingest::MessageSink>>()> open_message_sink;
  std::function<std::unique_ptr<ingest::RejectedSink>(const std::string& path)> open_rejected;
  std::function<Result<std::unique_ptr<ingest::ResultSink>>(const ExportCommand&, const leaderboards::Definition&)>
      open_result_sink;
  std::function<Result<std::unique_ptr<ingest::BoardSink>>(const ExportCommand&)> open_board_sink;
  /// The effective configuration, redacted.
  std::function<std::string(bool json)> configuration;
};

/// Runs a command to its end and returns the process's exit code; an error is told on `context.err`.
int run(const Command& command, Context& context);

/// One line: `scoreline: …`, or with `json` an object with `code`, `detail` and `field`.
void tell_error(std::ostream& err, const Error& error, bool json);

}  // namespace scoreline::cli
