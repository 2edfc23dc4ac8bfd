#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "http/board_text.h"
#include "http/json_text.h"
#include "http/problem.h"
#include "http/result_reader.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

using ingest::Receipt;
using ingest::Receipts;
using leaderboards::Outcome;

void append_rank(std::string& out, const std::optional<std::uint64_t>& rank) {
  if (rank) {
    append_number(out, *rank);
  } else {
    out += "null";
  }
}

Response single_answer(const Result<Receipt>& receipt) {
  if (!receipt) return problem(receipt.error());
  Response response;
  std::string& out = response.body;
  out += R"({"outcome":")";
  out += to_string(receipt->outcome);
  out += R"(",)";
  if (receipt->rank) {
    append_values(out, receipt->standing, receipt->record->definition);
  } else {
    out += R"("points":0)";  // on no board: there is no standing to tell of
  }
  out += R"(,"rank":)";
  append_rank(out, receipt->rank);
  out += R"(,"previousRank":)";
  append_rank(out, receipt->previous_rank);
  out += '}';
  return response;
}

void append_rejected(std::string& out, const RejectedResult& rejected) {
  out += R"({"index":)";
  append_number(out, rejected.index);
  out += R"(,"code":")";
  out += traits(rejected.error.code).name;
  out += R"(","detail":)";
  append_quoted(out, rejected.error.detail);
  if (!rejected.error.field.empty()) {
    out += R"(,"field":)";
    append_quoted(out, rejected.error.field);
  }
  out += '}';
}

/// `places[i]` is the index in the request of receipt i; `rejected` are those that never were submissions.
Response batch_answer(const Receipts& receipts, const std::vector<std::size_t>& places,
                      std::vector<RejectedResult> rejected) {
  std::size_t improved = 0;
  std::size_t unchanged = 0;
  std::size_t duplicate = 0;
  for (std::size_t i = 0; i < receipts.size(); ++i) {
    if (!receipts[i]) {
      rejected.push_back({places[i], receipts[i].error()});
      continue;
    }
    switch (receipts[i]->outcome) {
      case Outcome::improved: ++improved; break;
      case Outcome::unchanged: ++unchanged; break;
      case Outcome::duplicate: ++duplicate; break;
    }
  }
  std::sort(rejected.begin(), rejected.end(), [](const auto& a, const auto& b) { return a.index < b.index; });

  Response response;
  std::string& out = response.body;
  out += R"({"improved":)";
  append_number(out, improved);
  out += R"(,"unchanged":)";
  append_number(out, unchanged);
  out += R"(,"duplicate":)";
  append_number(out, duplicate);
  out += R"(,"rejected":[)";
  for (const RejectedResult& each : rejected) {
    if (&each != rejected.data()) out += ',';
    append_rejected(out, each);
  }
  out += "]}";
  return response;
}

Result<ResultBatch> read_body(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  const auto type = body_type(call.request, true);
  if (!type) return fail(type.error());
  const std::string_view leaderboard = call.params[0];
  // Asked here so that a whole batch for a leaderboard that does not exist is one 404.
  if (const auto record = call.context.service.catalogue().find(leaderboard); !record) return fail(record.error());
  return *type == BodyType::json ? read_json_results(call.request.body, leaderboard)
                                 : read_ndjson_results(call.request.body, leaderboard);
}

/// What a request keeps while its results are on their way.
struct OpenSubmit {
  Responder responder;
  bool single;
  std::vector<std::size_t> places;
  std::vector<RejectedResult> rejected;
};

}  // namespace

void submit_results(const Call& call, Responder responder) {
  auto batch = read_body(call);
  if (!batch) return responder.send(problem(batch.error()));
  if (batch->submissions.empty()) {
    if (batch->single) return responder.send(problem(batch->rejected.front().error));
    return responder.send(batch_answer({}, {}, std::move(batch->rejected)));
  }
  const auto ranks = batch->single ? leaderboards::Ranks::tell : leaderboards::Ranks::skip;
  // std::function wants to copy what it holds, and a duty to answer cannot be copied.
  auto open = std::make_shared<OpenSubmit>(
      OpenSubmit{std::move(responder), batch->single, std::move(batch->places), std::move(batch->rejected)});
  call.context.pipeline.submit(std::move(batch->submissions), ranks, [open](Result<Receipts> receipts) {
    if (!receipts) return open->responder.send(problem(receipts.error()));
    open->responder.send(open->single ? single_answer(receipts->front())
                                      : batch_answer(*receipts, open->places, std::move(open->rejected)));
  });
}

}  // namespace scoreline::http
