#include "http/json_fields.h"

#include "base/duration.h"

namespace scoreline::http {
namespace {

tl::unexpected<Error> wrong_kind(std::string_view must, JsonValue value, std::string_view field) {
  return fail(Code::invalid, "must be " + std::string(must) + ", not " + std::string(to_string(value.kind())),
              std::string(field));
}

/// A number's text comes from outside and may be long; no value of ours needs so many digits.
constexpr std::size_t kMaxNumberBytes = 1024;

template <typename Value>
Result<Value> in_field(Result<Value> value, std::string_view field) {
  if (!value) value.error().field = std::string(field);
  return value;
}

Result<Decimal> decimal(JsonValue value, std::string_view field) {
  if (value.kind() != JsonKind::number) return wrong_kind("a number", value, field);
  if (value.text().size() > kMaxNumberBytes) {
    return fail(Code::invalid, "has too many digits", std::string(field));
  }
  return in_field(parse_decimal(value.text()), field);
}

}  // namespace

Result<std::string_view> read_string(JsonValue member) {
  if (member.kind() != JsonKind::string) return wrong_kind("a string", member, member.key());
  return member.text();
}

Result<Decimal> read_decimal(JsonValue member) { return decimal(member, member.key()); }

Result<std::int64_t> read_integer(JsonValue member) {
  const auto value = decimal(member, member.key());
  if (!value) return fail(value.error());
  return in_field(to_scaled(*value, 0), member.key());
}

Result<std::chrono::milliseconds> read_duration(JsonValue member) {
  if (member.kind() != JsonKind::string) return wrong_kind("a string like 30s", member, member.key());
  return in_field(parse_duration(member.text()), member.key());
}

Result<Timestamp> read_timestamp(JsonValue member) {
  const auto text = read_string(member);
  if (!text) return fail(text.error());
  return in_field(parse_timestamp(*text), member.key());
}

Result<std::string> read_player_id(JsonValue value, std::string_view field) {
  if (value.kind() == JsonKind::string) return std::string(value.text());
  if (value.kind() == JsonKind::number && value.text().find_first_of(".eE") == std::string_view::npos) {
    return std::string(value.text() == "-0" ? "0" : value.text());
  }
  return wrong_kind("a string or a whole number", value, field);
}

Error unknown_field(std::string_view key, std::string_view known) {
  return Error{Code::invalid, "is not a field here; there are " + std::string(known), std::string(key), {}};
}

Error missing_field(std::string_view key, std::string_view what) {
  return Error{Code::invalid, "is missing: " + std::string(what), std::string(key), {}};
}

}  // namespace scoreline::http
