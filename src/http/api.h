// The HTTP API: finds the route of each request and answers it. All that the composition root needs besides Server.
//
// Thread safety: handle() is called by all loops of a server at once. Reads are answered inline, writes by the
// pipeline's writer thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/message.h"
#include "http/page_cache.h"
#include "http/routes.h"
#include "ingest/pipeline.h"
#include "leaderboards/service.h"

namespace scoreline::http {

class Api final : public Handler {
 public:
  /// All of it must outlive the Api, and the Api the server and the pipeline's last answer. `files` are served as they
  /// are; `loops`: of the server, for caches of their own (0: one a core).
  Api(leaderboards::Service& service, ingest::Pipeline& pipeline, std::span<const StaticFile> files = {},
      unsigned loops = 0);

  void handle(const Request& request, Responder responder) override;

 private:
  struct ServedFile {
    std::string_view content_type;
    CachedPage page;
  };

  Response answer_file(const ServedFile& file, const Request& request) const;

  RouteContext context_;
  std::unordered_map<std::string_view, ServedFile> files_;
};

}  // namespace scoreline::http
