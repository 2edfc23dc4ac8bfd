// From a message to a submission.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"
#include "ingest/message_source.h"
#include "ingest/pipeline.h"

namespace scoreline::ingest {

/// One JSON object: a result as over HTTP, with an optional `leaderboard`.
using ReadMessageText = std::function<Result<Submission>(std::string_view text)>;

/// The result in `message`. It was achieved when it was sent, unless it says otherwise. One without a match gets a
/// match id made of where the message stands and what it holds: the same whenever the message comes again. Errors:
/// unreadable, too_large (over kMaxLineBytes), invalid; `field` set where one is to blame.
Result<Submission> read_message(const Message& message, const ReadMessageText& read_text);

}  // namespace scoreline::ingest
