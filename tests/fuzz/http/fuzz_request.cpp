// The bytes of a connection: the parser must come to the same end however they are cut.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/request_parser.h"

using scoreline::http::RequestParser;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t stride = 1 + data[0] % 7;  // the first byte says how the rest is cut
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);

  RequestParser whole;
  const auto at_once = whole.parse(bytes);
  RequestParser dripped;
  auto step = RequestParser::Step::need_more;
  std::string moving;
  for (std::size_t at = 0; at < bytes.size() && step == RequestParser::Step::need_more; at += stride) {
    moving = std::string(bytes.substr(0, at + stride));  // another buffer each time
    step = dripped.parse(moving);
  }
  SCORELINE_CHECK(step == at_once);
  if (step == RequestParser::Step::complete) {
    SCORELINE_CHECK(whole.size() == dripped.size());
    SCORELINE_CHECK(whole.size() <= bytes.size());
    SCORELINE_CHECK(whole.request(bytes).body == dripped.request(moving).body);
    SCORELINE_CHECK(whole.request(bytes).target == dripped.request(moving).target);
    SCORELINE_CHECK(whole.request(bytes).target.front() == '/');
  }
  return 0;
}
