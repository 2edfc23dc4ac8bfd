#pragma once

#include <string_view>

namespace scoreline::http {

/// api/openapi.yaml, as it was when the binary was built.
extern const std::string_view kOpenapiText;

}  // namespace scoreline::http
