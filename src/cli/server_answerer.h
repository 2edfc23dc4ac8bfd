#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>

#include "cli/answerer.h"
#include "cli/server_store.h"

namespace scoreline::cli {

/// A running server.
class ServerAnswerer final : public Answerer {
 public:
  /// `deadline`: for each call. Errors: usage, field `server`. Nothing is sent yet.
  static Result<std::unique_ptr<Answerer>> to(const std::string& url, std::chrono::milliseconds deadline) {
    auto client = http::Client::to(url, deadline);
    if (!client) return fail(std::move(client.error()));
    return std::unique_ptr<Answerer>(new ServerAnswerer(url, deadline, *std::move(client)));
  }

  Result<std::string> ask(const http::ClientRequest& request) override { return cli::ask(client_, request); }
  Result<std::unique_ptr<Answerer>> another() override { return to(url_, deadline_); }

 private:
  ServerAnswerer(std::string url, std::chrono::milliseconds deadline, http::Client client)
      : url_(std::move(url)), deadline_(deadline), client_(std::move(client)) {}

  const std::string url_;
  const std::chrono::milliseconds deadline_;
  http::Client client_;
};

}  // namespace scoreline::cli
