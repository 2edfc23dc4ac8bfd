// Targets, through the router to the numbers and cursors in them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "http/cursor.h"
#include "http/routes.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace scoreline::http;
  const std::string raw = "/" + std::string(reinterpret_cast<const char*>(data), size);
  const auto target = Target::parse(raw);
  if (!target) return 0;
  std::size_t decoded = 0;
  for (const std::string_view segment : target->segments()) decoded += segment.size();
  SCORELINE_CHECK(decoded <= raw.size());
  for (const Method method : {Method::get, Method::post, Method::del}) {
    const Match found = match(method, *target);
    if (found.route != nullptr) SCORELINE_CHECK(found.route->pattern.size() > 1);
  }
  if (const auto number = target->whole_number("limit", 1, 1, 1000)) SCORELINE_CHECK(*number >= 1 && *number <= 1000);
  (void)target->allow_only({"limit", "cursor"});
  for (const std::string_view text : {target->parameter("cursor").value_or(""), std::string_view(raw).substr(1)}) {
    if (const auto cursor = decode_cursor(text)) {
      const auto again = decode_cursor(encode_cursor(*cursor));
      SCORELINE_CHECK(again && again->player == cursor->player && again->standing == cursor->standing);
    }
  }
  return 0;
}
