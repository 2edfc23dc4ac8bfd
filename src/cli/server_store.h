#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/store.h"
#include "http/client.h"

namespace scoreline::cli {

/// Asks a server for the body of its answer. Errors: those of the client, and those that the server answers with.
Result<std::string> ask(http::Client& client, const http::ClientRequest& request);

/// The error that an answer tells which is none of success.
Error problem_of(const http::ClientResponse& response);
/// `/v1/leaderboards/main/seasons/current`
std::string path_of(const BoardChoice& board);
/// What else says which board is meant, behind other query parameters.
std::string query_of(const BoardChoice& board);
/// A page of entries. Errors: unreadable.
Result<ShownBoard> read_board(const std::string& body);

/// The store behind a running server, over HTTP. Not thread-safe.
class ServerStore final : public Store {
 public:
  using Wait = std::function<void(std::chrono::milliseconds)>;
  ServerStore(http::Client client, Wait wait) : client_(std::move(client)), wait_(std::move(wait)) {}

  Result<BatchOutcome> submit(const std::vector<ingest::Submission>& batch) override;
  Result<ShownBoard> range(const BoardChoice& board, std::uint64_t first, std::size_t limit) override;
  Result<ShownBoard> around(const BoardChoice& board, const std::string& player, std::size_t radius) override;
  Result<ShownBoard> place(const BoardChoice& board, const std::string& player) override;
  Result<ShownAudit> audit_rank(const BoardChoice& board, const std::string& player) override;
  Result<std::string> moderate(const PlayerCommand& command) override;
  Result<std::vector<ShownAuditEntry>> audit_log(std::int64_t after, std::size_t limit) override;
  Result<std::int64_t> rebuild(const BoardChoice& board, const OnProgress& progress) override;
  Result<ShownDrift> reconcile(const BoardChoice& board, bool repair, const OnProgress& progress) override;

 private:
  Result<std::string> call(const http::ClientRequest& request) { return ask(client_, request); }

  /// Begins a task of a board, and waits until the server says that it has ended; its last answer.
  Result<std::string> run_task(const BoardChoice& board, std::string_view task, std::string_view query,
                               const OnProgress& progress);

  http::Client client_;
  Wait wait_;
};

}  // namespace scoreline::cli
