// JSON that came from outside, as a flat tree: strict (RFC 8259), bounded, and with the source text of every number,
// so that points never pass through a double.
//
// Refused as unreadable: invalid UTF-8, lone surrogates, a BOM, comments, trailing commas, anything after the value,
// more than kMaxJsonDepth levels, one key twice in an object. Refused as too_many: more than kMaxJsonMembers members of
// one object, more than kMaxJsonValues values. Only encoding, syntax and depth are looked at in a raw value.
//
// Thread safety: as a plain value. O(bytes), and O(members²) in one object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/limits.h"

namespace scoreline::http {

inline constexpr std::size_t kMaxJsonMembers = 64;
/// A full batch has six values a result.
inline constexpr std::size_t kMaxJsonValues = 8 * kMaxBatch;

enum class JsonKind : std::uint8_t {
  null,
  boolean,
  number,
  string,
  array,
  object,
  raw,  ///< of any kind, and kept as its JSON text (raw_json.h)
};

/// As an error names it: `a string`.
std::string_view to_string(JsonKind kind);

class JsonDocument;

/// One value in a document; lives no longer than it.
class JsonValue {
 public:
  JsonKind kind() const;
  /// The decoded text of a string, the source text of a number, `true` or `false`, the JSON of a raw one; else empty.
  std::string_view text() const;
  /// The decoded key, of a member of an object.
  std::string_view key() const;

  /// Calls `visit` for each element or member in order.
  template <typename Visit>
  void each(Visit&& visit) const;
  std::size_t size() const;  ///< number of elements or members; O(1)
  /// Of an object: the member with that key, if any.
  bool has(std::string_view key) const;

 private:
  friend class JsonDocument;
  JsonValue(const JsonDocument& document, std::uint32_t node) : document_(&document), node_(node) {}
  const JsonDocument* document_;
  std::uint32_t node_;
};

class JsonDocument {
 public:
  /// Members with the key `raw_key` are raw, wherever they stand; empty: none is.
  static Result<JsonDocument> parse(std::string_view text, std::string_view raw_key = {});

  JsonValue root() const { return {*this, 0}; }

 private:
  friend class JsonValue;
  friend class JsonBuilder;

  struct Text {
    std::uint32_t offset = 0;
    std::uint32_t size = 0;
  };
  struct Node {
    JsonKind kind = JsonKind::null;
    std::uint32_t first_child = 0;   ///< 0: none
    std::uint32_t next_sibling = 0;  ///< 0: none
    std::uint32_t children = 0;
    Text text;
    Text key;
  };

  std::string_view view(Text text) const { return std::string_view(texts_).substr(text.offset, text.size); }

  std::vector<Node> nodes_;
  std::string texts_;
};

template <typename Visit>
void JsonValue::each(Visit&& visit) const {
  for (std::uint32_t child = document_->nodes_[node_].first_child; child != 0;
       child = document_->nodes_[child].next_sibling) {
    visit(JsonValue(*document_, child));
  }
}

}  // namespace scoreline::http
