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
      : open_(std::make_shared<Open>(std::move(engine), service, pipeline, reads)) {}

  /// Before the first request.
  void keep_jobs(queues::JobStore& jobs) { open_->api.keep_jobs(jobs); }

  Result<std::string> ask(const http::ClientRequest& request) override;
  Result<std::unique_ptr<Answerer>> another() override { return std::unique_ptr<Answerer>(new LocalAnswerer(open_)); }

 private:
  /// Goes with the last of its answerers.
  struct Open {
    Open(std::shared_ptr<void> whose, leaderboards::Service& service, ingest::Pipeline& pipeline,
         http::IndexReads reads)
        : engine(std::move(whose)), api(service, pipeline, {}, reads) {}
    ~Open() { api.finish(); }
    Open(const Open&) = delete;
    Open& operator=(const Open&) = delete;

    std::shared_ptr<void> engine;
    http::Api api;
  };
  explicit LocalAnswerer(std::shared_ptr<Open> open) : open_(std::move(open)) {}

  std::shared_ptr<Open> open_;
};

}  // namespace scoreline::cli
