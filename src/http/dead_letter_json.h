// Dead letters as JSON, for the HTTP API and the command line.
#pragma once

#include <string>

#include "http/json_document.h"
#include "ingest/dead_letter_replay.h"
#include "ingest/dead_letters.h"

namespace scoreline::http {

/// `{"id":17,"topic":…,"partition":…,"offset":…,"sentAt":…,"addedAt":…,"code":…,"field":…,"detail":…,"size":…,
/// "value":…}`. A value that is not UTF-8 is a `valueBase64` instead; a null one is null. `sentAt` and `field` only
/// where there is one; a time outside the years 1600..9999 is none.
void append_dead_letter(std::string& out, const ingest::StoredDeadLetter& stored);
/// Reads it back. Errors: unreadable.
Result<ingest::StoredDeadLetter> read_dead_letter(JsonValue object);

/// `{"replayed":3,"refused":[{"id":17,"code":…,"detail":…}],"next":99}`; `verb`: `replayed` or `discarded`.
std::string done_json(const ingest::DeadLettersDone& done, std::string_view verb);
/// Reads it back. Errors: unreadable.
Result<ingest::DeadLettersDone> read_done(JsonValue object, std::string_view verb);

/// `{"ids":[17,18]}`, or `{"all":true}` with an optional `after`. Errors: unreadable, invalid, too_many.
Result<ingest::DeadLetterChoice> read_choice(std::string_view body);

}  // namespace scoreline::http
