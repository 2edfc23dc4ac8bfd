#pragma once

#include <memory>
#include <utility>

#include "cli/answerer.h"
#include "http/api.h"

namespace scoreline::cli {

/// The same API over an engine in this process, without a socket: what a server says, and one way to say it.
class LocalAnswerer final : public Answerer {
 public:
  /// `engine` keeps what the other two are of alive. The boards must have been made.
  LocalAnswerer(std::shared_ptr<void> engine, leaderboards::Service& service, ingest::Pipeline& pipeline,
                http::IndexReads reads)
      : engine_(std::move(engine)), api_(service, pipeline, {}, reads) {}
  ~LocalAnswerer() override { api_.finish(); }
  LocalAnswerer(const LocalAnswerer&) = delete;
  LocalAnswerer& operator=(const LocalAnswerer&) = delete;

  Result<std::string> ask(const http::ClientRequest& request) override;

 private:
  std::shared_ptr<void> engine_;
  http::Api api_;
};

}  // namespace scoreline::cli
