// Members of a JSON object as the values they must be. Every error names the member: `field` is its key.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/error.h"
#include "base/timestamp.h"
#include "http/json_document.h"

namespace scoreline::http {

/// Errors of all: Code::invalid, with the member's key as the field.
Result<std::string_view> read_string(JsonValue member);
/// A JSON number, exactly.
Result<Decimal> read_decimal(JsonValue member);
/// A JSON number without a fraction, that fits 64 bits.
Result<std::int64_t> read_integer(JsonValue member);
/// A string like `30s`.
Result<std::chrono::milliseconds> read_duration(JsonValue member);
/// An RFC 3339 string.
Result<Timestamp> read_timestamp(JsonValue member);
/// A player's id: a string as it is, an integer as its decimal string. Whether it is a valid id is not looked at.
/// `field` because the value may be an element of an array.
Result<std::string> read_player_id(JsonValue value, std::string_view field);

/// The error for a member that nothing reads.
Error unknown_field(std::string_view key, std::string_view known);
/// The error for a member that must be there.
Error missing_field(std::string_view key, std::string_view what);

}  // namespace scoreline::http
