// Port: whoever answers requests of the HTTP API: a running server, or an engine in this process.
//
// Thread safety: none of one answerer; `another` is for another thread.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "http/client.h"

namespace scoreline::cli {

class Answerer {
 public:
  virtual ~Answerer() = default;
  /// The body of the answer. Errors: those that it tells, and those of the way there.
  virtual Result<std::string> ask(const http::ClientRequest& request) = 0;
  /// A second way to the same server or engine. Errors: those of the URL.
  virtual Result<std::unique_ptr<Answerer>> another() = 0;
};

}  // namespace scoreline::cli
