#include "http/result_reader.h"

#include <optional>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/uuid.h"
#include "http/json_fields.h"

namespace scoreline::http {
namespace {

constexpr std::string_view kFields = "matchId, playerId, seasonId, points, achievedAt, criteria";
constexpr std::string_view kMessageFields = "matchId, playerId, seasonId, points, achievedAt, criteria, leaderboard";

/// Puts `value` where it belongs; the error when it is none.
template <typename Value, typename Target>
std::optional<Error> keep(Result<Value> value, Target& target) {
  if (!value) return std::move(value.error());
  target = std::move(*value);
  return std::nullopt;
}

Result<Uuid> read_match_id(JsonValue member) {
  const auto text = read_string(member);
  if (!text) return fail(text.error());
  auto uuid = parse_uuid(*text);
  if (!uuid) uuid.error().field = std::string(member.key());
  return uuid;
}

Result<std::string> read_text(JsonValue member) {
  return read_string(member).map([](std::string_view text) { return std::string(text); });
}

std::optional<Error> read_criteria(JsonValue member, std::vector<leaderboards::CriterionValue>& criteria) {
  if (member.kind() != JsonKind::object) {
    return Error{Code::invalid, "must be an object, not " + std::string(to_string(member.kind())), "criteria", {}};
  }
  if (member.size() > kMaxCriteria) {
    return Error{Code::invalid, "may hold " + std::to_string(kMaxCriteria - 1) + " numbers at most", "criteria", {}};
  }
  std::optional<Error> error;
  member.each([&](JsonValue each) {
    if (error) return;
    const auto value = read_decimal(each);
    if (value) {
      criteria.push_back({std::string(each.key()), *value});
    } else {
      error = value.error();
      error->field = std::string(leaderboards::kCriteriaPrefix) + std::string(each.key());
    }
  });
  return error;
}

/// Where a result comes in with its leaderboard named elsewhere, or beside its fields.
enum class Names : bool { result, message };

std::optional<Error> read_member(JsonValue member, Names names, ingest::Submission& submission) {
  const std::string_view key = member.key();
  if (key == "leaderboard" && names == Names::message) return keep(read_text(member), submission.leaderboard);
  if (key == "matchId") return keep(read_match_id(member), submission.match_id);
  if (key == "playerId") return keep(read_player_id(member, key), submission.player_id);
  if (key == "seasonId") return keep(read_integer(member), submission.season_id);
  if (key == "points") return keep(read_decimal(member), submission.points);
  if (key == "achievedAt") return keep(read_timestamp(member), submission.achieved_at);
  if (key == "criteria") return read_criteria(member, submission.criteria);
  return unknown_field(key, names == Names::message ? kMessageFields : kFields);
}

Result<ingest::Submission> read_object(JsonValue value, Names names, std::string_view leaderboard) {
  if (value.kind() != JsonKind::object) {
    return fail(Code::invalid, "a result must be an object, not " + std::string(to_string(value.kind())));
  }
  ingest::Submission submission;
  submission.leaderboard = std::string(leaderboard);
  std::optional<Error> error;
  value.each([&](JsonValue member) {
    if (!error) error = read_member(member, names, submission);
  });
  if (!error && !value.has("playerId")) error = missing_field("playerId", "who achieved the result");
  if (!error && !value.has("points")) error = missing_field("points", "a number");
  if (error) return fail(std::move(*error));
  return submission;
}

void add(ResultBatch& batch, std::size_t index, Result<ingest::Submission> submission) {
  if (submission) {
    batch.submissions.push_back(std::move(*submission));
    batch.places.push_back(index);
  } else {
    batch.rejected.push_back({index, std::move(submission.error())});
  }
}

tl::unexpected<Error> too_many() {
  return fail(Code::too_many, "a request may hold " + std::to_string(kMaxBatch) + " results", "results");
}

Result<ingest::Submission> read_line(std::string_view line, std::string_view leaderboard) {
  const auto document = JsonDocument::parse(line);
  if (!document) return fail(document.error());
  return read_result(document->root(), leaderboard);
}

}  // namespace

Result<ingest::Submission> read_result(JsonValue value, std::string_view leaderboard) {
  return read_object(value, Names::result, leaderboard);
}

Result<ingest::Submission> read_message_result(std::string_view text) {
  const auto document = JsonDocument::parse(text);
  if (!document) return fail(document.error());
  return read_object(document->root(), Names::message, leaderboards::kMainLeaderboard);
}

Result<ResultBatch> read_json_results(std::string_view body, std::string_view leaderboard) {
  const auto document = JsonDocument::parse(body);
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  ResultBatch batch;
  if (root.kind() != JsonKind::object || !root.has("results")) {
    batch.single = true;
    add(batch, 0, read_result(root, leaderboard));
    return batch;
  }
  std::optional<Error> error;
  root.each([&](JsonValue member) {
    if (member.key() != "results") {
      error = unknown_field(member.key(), "results");
    } else if (member.kind() != JsonKind::array) {
      error = Error{Code::invalid, "must be an array, not " + std::string(to_string(member.kind())), "results", {}};
    } else if (member.size() > kMaxBatch) {
      error = too_many().value();
    } else {
      batch.submissions.reserve(member.size());
      batch.places.reserve(member.size());
      std::size_t index = 0;
      member.each([&](JsonValue value) { add(batch, index++, read_result(value, leaderboard)); });
    }
  });
  if (error) return fail(std::move(*error));
  return batch;
}

Result<ResultBatch> read_ndjson_results(std::string_view body, std::string_view leaderboard) {
  ResultBatch batch;
  std::size_t index = 0;
  while (!body.empty()) {
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    if (index >= kMaxBatch) return too_many();
    add(batch, index++, read_line(line, leaderboard));
  }
  return batch;
}

}  // namespace scoreline::http
