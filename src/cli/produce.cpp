#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/made_up_season.h"
#include "cli/progress_bar.h"
#include "cli/result_text.h"
#include "http/result_reader.h"

namespace scoreline::cli {
namespace {

using std::chrono::milliseconds;

/// Longer than a message may take until it has failed: at the end every one is accounted for.
constexpr milliseconds kFlushWait = std::chrono::seconds{90};
/// Results that may be sent once more.
constexpr std::size_t kRemembered = 10'000;
constexpr std::uint64_t kToldRows = 10;
constexpr int kSomeRejected = 65;  // as Code::invalid

struct Text {
  std::string key;
  std::string value;
};

class Produce {
 public:
  Produce(const ProduceCommand& command, Context& context, ingest::MessageSink& sink)
      : command_(command),
        context_(context),
        sink_(sink),
        began_(context.clock.monotonic()),
        bar_(context.err, context.clock, context.progress) {}

  Result<int> run() {
    auto done = command_.generate ? generate() : command_.raw ? send_lines() : send_rows();
    if (done) done = sink_.flush(kFlushWait);
    bar_.clear();
    const auto& deliveries = sink_.deliveries();
    if (!done) {
      auto error = std::move(done.error());
      error.detail += fmt::format(" ({} sent, {} failed before that)", deliveries.sent, deliveries.failed);
      return fail(std::move(error));
    }
    tell_summary(deliveries);
    if (deliveries.failed > 0) {
      const Error failed{Code::not_ready,
                         fmt::format("{} were not sent: {}", deliveries.failed, deliveries.first_reason),
                         {},
                         std::nullopt};
      tell_error(context_.err, failed, context_.json);
      return traits(failed.code).exit_code;
    }
    return rejected_ == 0 ? 0 : kSomeRejected;
  }

 private:
  Result<void> send(const Text& text) {
    if (command_.rate) keep_pace();
    ++given_;
    return sink_.send(text.key, text.value);
  }

  /// Waits until the next message is due.
  void keep_pace() {
    const std::chrono::duration<double> due(static_cast<double>(given_) / static_cast<double>(*command_.rate));
    const auto early =
        std::chrono::duration_cast<std::chrono::nanoseconds>(due) - (context_.clock.monotonic() - began_);
    if (early > milliseconds{1}) context_.wait(std::chrono::ceil<milliseconds>(early));
  }

  Text text_of(const ingest::Submission& result) const {
    Text text{result.player_id, {}};
    const bool is_main = command_.into.leaderboard == leaderboards::kMainLeaderboard;
    append_result(text.value, result, is_main ? std::string_view() : command_.into.leaderboard);
    return text;
  }

  Result<void> generate() {
    SeededRandom random(command_.seed.value_or(context_.random.bits()));
    MadeUpSeason season(context_.clock, random,
                        {.players = command_.players,
                         .season = command_.into.season.value_or(1),
                         .smallest_match = std::min<std::size_t>(4, command_.players),
                         .largest_match = std::min<std::size_t>(4, command_.players),
                         .told_twice = 0});
    std::vector<ingest::Submission> match;
    std::vector<Text> remembered;
    std::size_t oldest = 0;
    for (std::uint64_t sent = 0; sent < *command_.generate; ++sent) {
      bar_.show({sent, sent, *command_.generate});
      if (!remembered.empty() && random.below(100) < command_.duplicates) {
        if (auto again = send(remembered[random.below(remembered.size())]); !again) return again;
        continue;
      }
      if (match.empty()) match = season.next_match();
      Text text = text_of(match.back());
      match.pop_back();
      if (auto given = send(text); !given) return given;
      if (command_.duplicates == 0) continue;
      if (remembered.size() < kRemembered) {
        remembered.push_back(std::move(text));
      } else {
        remembered[oldest] = std::move(text);
        oldest = (oldest + 1) % kRemembered;
      }
    }
    return {};
  }

  Result<void> send_rows() {
    const auto source = context_.open_source(command_.file, command_.format);
    if (!source) return fail(source.error());
    while (true) {
      auto row = (*source)->next();
      if (!row) return fail(std::move(row.error()));
      if (!*row) return {};
      if (!(*row)->submission) {
        reject((*row)->line, (*source)->name_of((*row)->submission.error().field), (*row)->submission.error());
      } else if (const auto id = leaderboards::PlayerId::parse((*row)->submission->player_id); !id) {
        reject((*row)->line, (*source)->name_of(id.error().field), id.error());
      } else {
        auto& result = *(*row)->submission;
        if (command_.into.season) result.season_id = command_.into.season;
        if (auto given = send(text_of(result)); !given) return given;
      }
      bar_.show({given_ + rejected_, (*source)->bytes_read(), (*source)->bytes_total()});
    }
  }

  /// Each line as it is, of whatever length.
  Result<void> send_lines() {
    std::ifstream file;
    if (command_.file != "-") {
      file.open(command_.file, std::ios::binary);
      if (!file) return fail(Code::not_found, fmt::format("cannot read '{}'", command_.file), "FILE");
    }
    std::istream& input = command_.file == "-" ? std::cin : file;
    std::string line;
    while (std::getline(input, line)) {
      const auto result = http::read_message_result(line);
      if (auto given = send({result ? result->player_id : "", line}); !given) return given;
      bar_.show({given_, 0, std::nullopt});
    }
    if (input.bad()) {
      return fail(Code::storage_failed, fmt::format("cannot read '{}' to its end", command_.file), "FILE");
    }
    return {};
  }

  void reject(std::uint64_t line, std::string_view field, const Error& why) {
    if (++rejected_ > kToldRows) return;
    bar_.clear();
    tell_error(context_.err, {why.code, fmt::format("line {}: {}", line, why.detail), std::string(field), std::nullopt},
               context_.json);
  }

  void tell_summary(const ingest::Deliveries& deliveries) {
    if (context_.json) {
      context_.out << fmt::format(R"({{"sent":{},"failed":{},"rejected":{}}})", deliveries.sent, deliveries.failed,
                                  rejected_)
                   << '\n';
      return;
    }
    context_.out << fmt::format("{} sent, {} failed", deliveries.sent, deliveries.failed);
    if (rejected_ > 0) context_.out << fmt::format(", {} rejected", rejected_);
    context_.out << '\n';
  }

  const ProduceCommand& command_;
  Context& context_;
  ingest::MessageSink& sink_;
  const Monotonic began_;
  ProgressBar bar_;
  std::uint64_t given_ = 0;
  std::uint64_t rejected_ = 0;
};

}  // namespace

Result<int> run_produce(const ProduceCommand& command, Context& context) {
  if (command.file.empty() != command.generate.has_value()) {
    return fail(Code::usage, "name a file, or say how many results to make up with --generate", "FILE");
  }
  const auto sink = context.open_message_sink();
  if (!sink) return fail(sink.error());
  return Produce(command, context, **sink).run();
}

}  // namespace scoreline::cli
