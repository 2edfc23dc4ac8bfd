// The opaque cursor of a range read: where the last (or first) entry of a page stood, so that the next page begins
// right behind that place (or the page before ends right before it) whoever has moved since.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "leaderboards/values.h"

namespace scoreline::http {

struct Cursor {
  leaderboards::BoardId board;
  leaderboards::PlayerId player;
  leaderboards::Standing standing;
  bool backwards = false;  ///< leads to the entries before the place
};

/// Letters, digits, `-` and `_`: it needs no encoding in a URL.
std::string encode_cursor(const Cursor& cursor);

/// Errors: Code::invalid, field `cursor`, when it is not one of ours (a checksum guards it against cuts and typing, not
/// against forgery: a forged one reads nothing that its bearer could not read).
Result<Cursor> decode_cursor(std::string_view text);

}  // namespace scoreline::http
