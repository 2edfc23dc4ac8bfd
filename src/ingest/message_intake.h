// Port: where a consumer's messages go.
//
// Thread safety: `take` and `may_commit` are called on the consumer's thread.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/error.h"
#include "ingest/message_source.h"

namespace scoreline::ingest {

using MessageBatch = std::shared_ptr<const std::vector<Message>>;

/// A batch that was taken in.
struct Taken {
  /// Whether its offsets may be committed; asked again and again until it says so. Empty: at once.
  std::function<bool()> may_commit;
};

class MessageIntake {
 public:
  virtual ~MessageIntake() = default;

  using Done = std::function<void(Result<Taken>)>;
  /// Takes a batch in; `done` is called once, from any thread, perhaps before this returns. After an error the same
  /// batch comes again, whole, so taking one twice must come to the same as taking it once.
  virtual void take(MessageBatch batch, Done done) = 0;
};

}  // namespace scoreline::ingest
