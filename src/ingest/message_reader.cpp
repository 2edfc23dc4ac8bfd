#include "ingest/message_reader.h"

#include <xxhash.h>

#include <algorithm>
#include <string>

#include "base/limits.h"

namespace scoreline::ingest {
namespace {

/// 122 of the 128 bits of XXH3: among 10^9 messages two ids are equal with a chance of 10^-19.
Uuid match_id_of(const Message& message) {
  std::string place = message.from.topic;
  place += '\0';  // no topic has one
  for (const std::int64_t number : {std::int64_t{message.from.partition}, message.offset,
                                    message.sent_at ? message.sent_at->ms : std::int64_t{-1}}) {
    place += std::to_string(number);
    place += '\0';
  }
  place += *message.value;
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits(place.data(), place.size()));
  std::array<std::uint8_t, 16> bits;
  std::copy_n(canonical.digest, bits.size(), bits.begin());
  return uuid_v8(bits);
}

}  // namespace

Result<Submission> read_message(const Message& message, const ReadMessageText& read_text) {
  if (!message.value) return fail(Code::unreadable, "the value is null; it must be a result as a JSON object");
  if (message.value->size() > kMaxLineBytes) {
    return fail(Code::too_large, "the value has " + std::to_string(message.value->size()) + " bytes; it may have " +
                                     std::to_string(kMaxLineBytes));
  }
  auto submission = read_text(*message.value);
  if (!submission) return submission;
  submission->sent_at = message.sent_at;
  if (!submission->match_id) submission->match_id = match_id_of(message);
  return submission;
}

}  // namespace scoreline::ingest
