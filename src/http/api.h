// The HTTP API: finds the route of each request and answers it. All that the composition root needs besides Server.
//
// Thread safety: handle() is called by all loops of a server at once. Reads are answered inline, or by threads of their
// own when the index may be on another machine; writes by the pipeline's writer thread.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/blocking_pool.h"
#include "http/host_check.h"
#include "http/message.h"
#include "http/page_cache.h"
#include "http/routes.h"
#include "ingest/pipeline.h"
#include "leaderboards/service.h"

namespace scoreline::http {

/// Whether reads of the index are answered inline, or may take as long as another machine takes.
enum class IndexReads : std::uint8_t { inline_, waiting };

class Api final : public Handler {
 public:
  /// All of it must outlive the Api, and the Api the server and the pipeline's last answer. `files` are served as they
  /// are.
  Api(leaderboards::Service& service, ingest::Pipeline& pipeline, std::span<const StaticFile> files = {},
      IndexReads reads = IndexReads::inline_, HostCheck hosts = HostCheck());

  /// Before the first request: where dead letters are, and what /metrics tells beside the boards.
  void keep_dead_letters(ingest::DeadLetters& dead_letters);
  /// Before the first request: where jobs live; it must outlive the server, and go before the Api.
  void keep_jobs(queues::JobStore& jobs) { context_.jobs = &jobs; }
  void tell_metrics(prometheus::Registry& registry) { context_.registry = &registry; }

  /// Before the first request: at most so many listen at once.
  void allow_listeners(std::size_t count) { context_.events.allow(count); }

  void handle(const Request& request, Responder responder) override;

  /// After the last request, and before anything that it stands on goes: waits for what its threads do.
  void finish();

 private:
  struct ServedFile {
    std::string_view content_type;
    CachedPage page;
  };

  Response answer_file(const ServedFile& file, const Request& request) const;

  void answer_later(BlockingPool& pool, const Request& request, Responder responder);

  HostCheck hosts_;
  RouteContext context_;
  std::unordered_map<std::string_view, ServedFile> files_;
  // Last: their works use the above.
  std::unique_ptr<BlockingPool> pool_;          // nullptr: reads are inline
  std::unique_ptr<BlockingPool> scan_pool_;     // reads of the whole ledger, boards of the past among them
  std::unique_ptr<BlockingPool> letters_pool_;  // nullptr: no dead letters are kept
};

}  // namespace scoreline::http
