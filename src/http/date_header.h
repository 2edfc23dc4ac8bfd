// The Date header of an answer (RFC 9110, 6.6.1).
#pragma once

#include <string>

#include "base/timestamp.h"

namespace scoreline::http {

/// `Date: Mon, 12 Oct 2026 18:00:00 GMT\r\n`
std::string date_header(Timestamp now);

}  // namespace scoreline::http
