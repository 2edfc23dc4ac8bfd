// Errors as HTTP answers: problem details of RFC 9457, from the one table in base/error.h.
#pragma once

#include "base/error.h"
#include "http/message.h"

namespace scoreline::http {

/// `{"type":…,"title":…,"status":…,"detail":…,"code":…,"field":…}`; `field` only when the error names one.
/// Retry-After where it is worth trying again: as the error says, else one second for not_ready and overloaded.
Response problem(const Error& error);

}  // namespace scoreline::http
