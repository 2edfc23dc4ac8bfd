// Bytes as text in the base64 of RFC 4648, section 4, with its padding.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline {

std::string to_base64(std::string_view bytes);

/// Errors: Code::invalid, for anything that to_base64 does not write.
Result<std::string> from_base64(std::string_view text);

}  // namespace scoreline
