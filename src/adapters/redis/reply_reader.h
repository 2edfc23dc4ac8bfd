// Bytes of RESP2 to replies, by hiredis.
//
// Thread safety: none; its connection guards it.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "adapters/redis/client.h"

struct redisReader;

namespace scoreline::redis {

class ReplyReader {
 public:
  ReplyReader();

  /// Errors: storage_failed when there is no memory, or when more than 512 MB wait for the rest of their reply.
  Result<void> feed(std::string_view bytes);
  /// The next whole reply, if there is one. Errors: storage_failed when the bytes are no RESP2; then all is lost.
  Result<std::optional<Reply>> next();
  /// Whether bytes wait that belong to no reply yet.
  bool has_rest() const;

 private:
  struct Free {
    void operator()(redisReader* reader) const;
  };
  std::unique_ptr<redisReader, Free> reader_;
};

}  // namespace scoreline::redis
