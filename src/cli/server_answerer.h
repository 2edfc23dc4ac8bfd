#pragma once

#include <utility>

#include "cli/answerer.h"
#include "cli/server_store.h"

namespace scoreline::cli {

/// A running server.
class ServerAnswerer final : public Answerer {
 public:
  explicit ServerAnswerer(http::Client client) : client_(std::move(client)) {}
  Result<std::string> ask(const http::ClientRequest& request) override { return cli::ask(client_, request); }

 private:
  http::Client client_;
};

}  // namespace scoreline::cli
