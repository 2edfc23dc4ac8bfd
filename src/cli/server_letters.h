#pragma once

#include <string_view>
#include <utility>

#include "cli/letter_store.h"
#include "http/client.h"

namespace scoreline::cli {

/// The dead letters behind a running server, over HTTP. Not thread-safe.
class ServerLetters final : public LetterStore {
 public:
  explicit ServerLetters(http::Client client) : client_(std::move(client)) {}

  Result<std::vector<ingest::StoredDeadLetter>> list(ingest::DeadLetterId after, std::size_t limit) override;
  Result<ingest::StoredDeadLetter> find(ingest::DeadLetterId id) override;
  Result<ingest::DeadLettersDone> replay(const ingest::DeadLetterChoice& choice) override;
  Result<ingest::DeadLettersDone> discard(const ingest::DeadLetterChoice& choice) override;

 private:
  Result<ingest::DeadLettersDone> work(std::string_view verb, std::string_view done,
                                       const ingest::DeadLetterChoice& choice);

  http::Client client_;
};

}  // namespace scoreline::cli
