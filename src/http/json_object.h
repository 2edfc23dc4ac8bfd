// The members of a JSON object from a request, each through a reader of its own; the first error ends it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "http/json_document.h"
#include "http/json_fields.h"
#include "http/routes.h"

namespace scoreline::http {

/// Calls `read(member)`, a std::optional<Error>, for each member.
template <typename Read>
std::optional<Error> read_members(JsonValue object, Read read) {
  if (object.kind() != JsonKind::object) {
    return Error{Code::invalid, "must be an object, not " + std::string(to_string(object.kind())), {}, {}};
  }
  std::optional<Error> error;
  object.each([&](JsonValue member) {
    if (!error) error = read(member);
  });
  return error;
}

/// The same for a whole body. An empty one has no members.
template <typename Read>
std::optional<Error> read_body_members(const Request& request, std::string_view raw_key, Read read) {
  if (request.body.empty()) return std::nullopt;
  if (const auto type = body_type(request, false); !type) return type.error();
  const auto document = JsonDocument::parse(request.body, raw_key);
  if (!document) return document.error();
  if (document->root().kind() != JsonKind::object) {
    return Error{Code::unreadable, "the body must be a JSON object", {}, {}};
  }
  return read_members(document->root(), read);
}

/// An error of an element of an array, with its place before the field.
inline Error in_element(Error error, std::string_view array, std::size_t index) {
  const std::string place = std::string(array) + "[" + std::to_string(index) + "]";
  error.field = error.field.empty() ? place : place + "." + error.field;
  return error;
}

/// Calls `read(element)`, a std::optional<Error>, for each element of an array.
template <typename Read>
std::optional<Error> read_elements(JsonValue array, Read read) {
  const std::string key(array.key());
  if (array.kind() != JsonKind::array) {
    return Error{Code::invalid, "must be an array, not " + std::string(to_string(array.kind())), key, {}};
  }
  std::optional<Error> error;
  std::size_t index = 0;
  array.each([&](JsonValue element) {
    if (error) return;
    if (auto wrong = read(element)) error = in_element(*std::move(wrong), key, index);
    ++index;
  });
  return error;
}

/// What a reader gave goes to `target`, or is the error.
template <typename From, typename To>
std::optional<Error> take_into(Result<From> read, To& target) {
  if (!read) return std::move(read).error();
  target = *std::move(read);
  return std::nullopt;
}

}  // namespace scoreline::http
