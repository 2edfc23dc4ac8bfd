#include "adapters/redis/reply_reader.h"

#include <hiredis/hiredis.h>

namespace scoreline::redis {
namespace {

// The longest text a server sends by default (proto-max-bulk-len); our replies are far shorter.
constexpr std::size_t kMaxWaitingBytes = 512 * 1024 * 1024;

Reply to_reply(const redisReply& from) {
  Reply reply;
  switch (from.type) {
    case REDIS_REPLY_INTEGER:
      reply.kind = Reply::Kind::integer;
      reply.integer = from.integer;
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      reply.kind = Reply::Kind::text;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_ERROR:
      reply.kind = Reply::Kind::error;
      reply.text.assign(from.str, from.len);
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Reply::Kind::array;
      reply.elements.reserve(from.elements);
      for (std::size_t i = 0; i < from.elements; ++i) reply.elements.push_back(to_reply(*from.element[i]));
      break;
    default: break;  // nil; RESP3's other kinds come only to those who asked for them
  }
  return reply;
}

// A peer may claim two thousand million elements in a dozen bytes, and hiredis makes room for them at once.
constexpr std::size_t kMaxElements = 4'000'000;

const redisReplyObjectFunctions& usual_functions() {
  static const redisReplyObjectFunctions usual = [] {
    const std::unique_ptr<redisReader, decltype(&redisReaderFree)> reader(redisReaderCreate(), &redisReaderFree);
    SCORELINE_CHECK(reader != nullptr);
    return *reader->fn;
  }();
  return usual;
}

/// `Count` is int to hiredis 0.14 and size_t to 1.x.
template <typename Count>
void* make_bounded_array(const redisReadTask* task, Count elements) {
  const bool fits = static_cast<std::size_t>(elements) <= kMaxElements;
  return fits ? usual_functions().createArray(task, elements) : nullptr;
}

redisReplyObjectFunctions* bounded_functions() {
  static redisReplyObjectFunctions bounded = [] {
    redisReplyObjectFunctions made = usual_functions();
    made.createArray = &make_bounded_array;
    return made;
  }();
  return &bounded;
}

struct FreeReply {
  void operator()(void* reply) const { freeReplyObject(reply); }
};

}  // namespace

void ReplyReader::Free::operator()(redisReader* reader) const { redisReaderFree(reader); }

ReplyReader::ReplyReader() : reader_(redisReaderCreateWithFunctions(bounded_functions())) {
  SCORELINE_CHECK(reader_ != nullptr);
}

Result<void> ReplyReader::feed(std::string_view bytes) {
  const bool fits = reader_->len - reader_->pos + bytes.size() <= kMaxWaitingBytes;
  if (fits && redisReaderFeed(reader_.get(), bytes.data(), bytes.size()) == REDIS_OK) return {};
  return fail(Code::storage_failed, "the reply is too long to be kept");
}

Result<std::optional<Reply>> ReplyReader::next() {
  void* raw = nullptr;
  if (redisReaderGetReply(reader_.get(), &raw) != REDIS_OK) {
    return fail(Code::storage_failed, std::string("the answer is not Redis's protocol: ") + reader_->errstr);
  }
  if (raw == nullptr) return std::nullopt;
  const std::unique_ptr<void, FreeReply> owned(raw);
  return to_reply(*static_cast<const redisReply*>(raw));
}

bool ReplyReader::has_rest() const { return reader_->pos < reader_->len; }

}  // namespace scoreline::redis
