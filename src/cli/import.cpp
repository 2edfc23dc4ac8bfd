#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "base/uuid.h"
#include "cli/commands.h"
#include "cli/progress_bar.h"

namespace scoreline::cli {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kFirstWait{100};
constexpr milliseconds kLongestWait{5'000};
constexpr std::size_t kMaxWaitingBytes = std::size_t{4} * 1024 * 1024;
constexpr int kSomeRejected = 65;  // as Code::invalid

/// A row that waits for its batch, with what a rejection would tell of it.
struct Waiting {
  std::uint64_t line;
  std::string text;
};

/// Whether what is rejected would be written over what is read, by whatever names, links or redirection.
bool is_same_file(const ImportCommand& command) {
  if (command.rejected == command.file) return true;
  const std::filesystem::path read = command.file == "-" ? "/dev/stdin" : command.file;
  std::error_code error;
  return std::filesystem::is_regular_file(read, error) && std::filesystem::equivalent(read, command.rejected, error);
}

/// Worth sending again: it may pass, and what was stored already counts as a duplicate.
bool passes_by_itself(Code code) {
  return code == Code::overloaded || code == Code::not_ready || code == Code::unknown_outcome ||
         code == Code::storage_full;
}

class Import {
 public:
  Import(const ImportCommand& command, Context& context, Store& store, ingest::ResultSource& source)
      : command_(command),
        context_(context),
        store_(store),
        source_(source),
        rejected_(context.open_rejected(command.rejected)),
        bar_(context.err, context.clock, context.progress) {}

  Result<int> run() {
    auto done = read_all();
    bar_.clear();
    if (auto flushed = rejected_->flush(); done && !flushed) done = fail(std::move(flushed.error()));
    if (!done) {
      auto error = std::move(done.error());
      error.detail +=
          fmt::format(" ({} results are in; import the same file again to go on)", improved_ + unchanged_ + duplicate_);
      return fail(std::move(error));
    }
    tell_summary();
    return rejected_count_ == 0 ? 0 : kSomeRejected;
  }

 private:
  Result<void> read_all() {
    while (true) {
      auto row = source_.next();
      if (!row) return fail(std::move(row.error()));
      if (!*row) break;
      ++rows_;
      if (auto taken = take(**row); !taken) return taken;
      if (batch_.size() >= command_.batch || waiting_bytes_ >= kMaxWaitingBytes) {
        if (auto sent = send(); !sent) return sent;
      }
      bar_.show({rows_, source_.bytes_read(), source_.bytes_total()});
    }
    return batch_.empty() ? Result<void>() : send();
  }

  Result<void> take(ingest::SourceRow& row) {
    if (!row.submission) return reject(row.line, row.submission.error(), row.text);
    ingest::Submission& submission = *row.submission;
    // A bad id goes no further: on its way through JSON it could become another one, and a good one.
    if (const auto id = leaderboards::PlayerId::parse(submission.player_id); !id) {
      return reject(row.line, id.error(), row.text);
    }
    submission.leaderboard = command_.into.leaderboard;
    if (command_.into.season) submission.season_id = command_.into.season;
    // Named here and not by who stores it: sending a batch again must be the same batch.
    if (!submission.match_id) submission.match_id = new_uuid_v7(context_.clock.now(), context_.random);
    batch_.push_back(std::move(submission));
    waiting_.push_back({row.line, std::string(row.text)});
    waiting_bytes_ += row.text.size();
    return {};
  }

  Result<void> send() {
    auto outcome = submit_until_answered();
    if (!outcome) return fail(std::move(outcome.error()));
    improved_ += outcome->improved;
    unchanged_ += outcome->unchanged;
    duplicate_ += outcome->duplicate;
    for (const auto& [index, why] : outcome->rejected) {
      SCORELINE_CHECK(index < waiting_.size());
      if (auto told = reject(waiting_[index].line, why, waiting_[index].text); !told) return told;
    }
    batch_.clear();
    waiting_.clear();
    waiting_bytes_ = 0;
    return {};
  }

  Result<BatchOutcome> submit_until_answered() {
    const Monotonic give_up = context_.clock.monotonic() + std::chrono::seconds{command_.retry_s};
    milliseconds pause = kFirstWait;
    while (true) {
      auto outcome = store_.submit(batch_);
      if (outcome || !context_.remote || !passes_by_itself(outcome.error().code)) return outcome;
      if (context_.clock.monotonic() >= give_up) return outcome;
      // Half of the pause is by chance: importers that were turned away together do not come back together.
      const auto half = static_cast<std::uint64_t>(pause.count() / 2);
      const milliseconds jittered{static_cast<std::int64_t>(half + context_.random.below(half + 1))};
      context_.wait(std::max(jittered, outcome.error().retry_after.value_or(milliseconds{0})));
      pause = std::min(pause * 2, kLongestWait);
    }
  }

  Result<void> reject(std::uint64_t line, Error error, std::string_view text) {
    ++rejected_count_;
    error.field = std::string(source_.name_of(error.field));
    return rejected_->write({line, error, text});
  }

  void tell_summary() {
    if (context_.json) {
      context_.out << fmt::format(R"({{"improved":{},"unchanged":{},"duplicate":{},"rejected":{}}})", improved_,
                                  unchanged_, duplicate_, rejected_count_)
                   << '\n';
      return;
    }
    context_.out << fmt::format("{} improved, {} unchanged, {} duplicate, {} rejected\n", improved_, unchanged_,
                                duplicate_, rejected_count_);
    if (rejected_count_ > 0) context_.out << "rejected rows and reasons: " << command_.rejected << '\n';
  }

  const ImportCommand& command_;
  Context& context_;
  Store& store_;
  ingest::ResultSource& source_;
  std::unique_ptr<ingest::RejectedSink> rejected_;
  ProgressBar bar_;
  std::vector<ingest::Submission> batch_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t improved_ = 0;
  std::uint64_t unchanged_ = 0;
  std::uint64_t duplicate_ = 0;
  std::uint64_t rejected_count_ = 0;
};

}  // namespace

Result<int> run_import(const ImportCommand& command, Context& context) {
  if (is_same_file(command)) {
    return fail(Code::usage, "must be another file than the one that is imported", "rejected");
  }
  const auto source = context.open_source(command.file, command.format);
  if (!source) return fail(source.error());
  const auto store = context.open_store();
  if (!store) return fail(store.error());
  return Import(command, context, **store, **source).run();
}

}  // namespace scoreline::cli
