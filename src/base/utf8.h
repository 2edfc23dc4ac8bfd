#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace scoreline {

/// True when `bytes` is well-formed UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

/// True when well-formed UTF-8 `text` holds a control character: U+0000..U+001F, U+007F..U+009F.
bool has_control_character(std::string_view text);

/// `bytes` as a person may see them and any store may keep them: at most `max_bytes` of well-formed UTF-8, where U+FFFD
/// stands for each control character and each byte that belongs to no character. Cut between characters.
std::string visible_text(std::string_view bytes, std::size_t max_bytes);

}  // namespace scoreline
