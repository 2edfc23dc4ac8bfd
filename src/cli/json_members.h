// What a command reads out of answers in JSON, by the names of members.
#pragma once

#include <string>
#include <string_view>

#include "http/json_document.h"

namespace scoreline::cli {

/// The text of a string or number; empty where there is none.
inline std::string member(http::JsonValue object, std::string_view key) {
  std::string text;
  object.each([&](http::JsonValue each) {
    if (each.key() == key) text = each.text();
  });
  return text;
}

/// Calls `visit` with each element of an array.
template <typename Visit>
void each_of(http::JsonValue object, std::string_view key, Visit visit) {
  object.each([&](http::JsonValue each) {
    if (each.key() == key && each.kind() == http::JsonKind::array) each.each(visit);
  });
}

}  // namespace scoreline::cli
