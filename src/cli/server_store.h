#pragma once

#include "cli/store.h"
#include "http/client.h"

namespace scoreline::cli {

/// The store behind a running server, over HTTP. Not thread-safe.
class ServerStore final : public Store {
 public:
  explicit ServerStore(http::Client client) : client_(std::move(client)) {}

  Result<BatchOutcome> submit(const std::vector<ingest::Submission>& batch) override;
  Result<ShownBoard> range(const BoardChoice& board, std::uint64_t first, std::size_t limit) override;
  Result<ShownBoard> around(const BoardChoice& board, const std::string& player, std::size_t radius) override;

 private:
  Result<std::string> call(const http::ClientRequest& request);

  http::Client client_;
};

}  // namespace scoreline::cli
