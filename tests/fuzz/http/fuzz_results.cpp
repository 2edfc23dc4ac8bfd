// Bodies of results and definitions: whatever they hold, each result is read or rejected, once.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/utf8.h"
#include "http/definition_json.h"
#include "http/result_reader.h"

using scoreline::Result;
using scoreline::http::ResultBatch;

namespace {

void check(const Result<ResultBatch>& batch) {
  if (!batch) return;
  SCORELINE_CHECK(batch->places.size() == batch->submissions.size());
  SCORELINE_CHECK(!batch->single || batch->submissions.size() + batch->rejected.size() == 1);
  for (const auto& submission : batch->submissions) SCORELINE_CHECK(scoreline::is_utf8(submission.player_id));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view body(reinterpret_cast<const char*>(data), size);
  check(scoreline::http::read_json_results(body, "main"));
  check(scoreline::http::read_ndjson_results(body, "main"));
  if (const auto definition = scoreline::http::read_definition(body, "main")) {
    // What is written can be read, and is the same.
    std::string text;
    scoreline::http::append_definition(text, *definition);
    const auto again = scoreline::http::read_definition(text, "main");
    SCORELINE_CHECK(again && *again == *definition);
  }
  (void)scoreline::http::read_season(body);
  return 0;
}
