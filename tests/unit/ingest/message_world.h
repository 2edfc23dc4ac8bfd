// A world whose results come as messages.
#pragma once

#include <prometheus/registry.h>

#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/result_reader.h"
#include "ingest/intake_metrics.h"
#include "ingest/ledger_intake.h"
#include "support/model_dead_letters.h"
#include "support/process.h"

namespace scoreline::test {

struct MessageWorld : World {
  static ingest::Message message(std::int64_t offset, std::optional<std::string> value,
                                 std::optional<Timestamp> sent_at = at("2026-10-12T17:59:00Z")) {
    return {{"match-results", 0}, offset, sent_at, std::move(value)};
  }
  /// A result of season 12 as a message.
  static ingest::Message result_at(std::int64_t offset, const std::string& player, std::int64_t points,
                                   const std::string& more = "") {
    return message(offset, R"({"seasonId":12,"playerId":")" + player + R"(","points":)" + std::to_string(points) +
                               (more.empty() ? "" : "," + more) + "}");
  }
  static std::string match_text(std::uint64_t number) { return R"("matchId":")" + format_uuid(match(number)) + '"'; }

  static Result<ingest::Taken> take(ingest::MessageIntake& intake, std::vector<ingest::Message> messages) {
    const auto answered = std::make_shared<std::promise<Result<ingest::Taken>>>();
    intake.take(std::make_shared<const std::vector<ingest::Message>>(std::move(messages)),
                [answered](Result<ingest::Taken> taken) { answered->set_value(std::move(taken)); });
    return answered->get_future().get();
  }

  /// `offset code field` of each.
  std::vector<std::string> letters() const {
    std::vector<std::string> lines;
    const auto kept = dead_letters.list(0, kMaxEntries).value();
    for (const auto& stored : kept) {
      const auto& [message, size, reason] = stored.letter;
      lines.push_back(std::to_string(message.offset) + ' ' + std::string(traits(reason.code).name) + ' ' +
                      reason.field);
    }
    return lines;
  }

  prometheus::Registry registry;
  ingest::IntakeMetrics metrics{registry, "g"};
  ModelDeadLetters dead_letters;
};

}  // namespace scoreline::test
