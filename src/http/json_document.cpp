#include "http/json_document.h"

#include <boost/json/basic_parser_impl.hpp>
#include <optional>
#include <utility>

#include "http/raw_json.h"

namespace scoreline::http {

std::string_view to_string(JsonKind kind) {
  switch (kind) {
    case JsonKind::null: return "null";
    case JsonKind::boolean: return "true or false";
    case JsonKind::number: return "a number";
    case JsonKind::string: return "a string";
    case JsonKind::array: return "an array";
    case JsonKind::object: return "an object";
    case JsonKind::raw: return "any value";
  }
  return "";
}

JsonKind JsonValue::kind() const { return document_->nodes_[node_].kind; }
std::string_view JsonValue::text() const { return document_->view(document_->nodes_[node_].text); }
std::string_view JsonValue::key() const { return document_->view(document_->nodes_[node_].key); }
std::size_t JsonValue::size() const { return document_->nodes_[node_].children; }

bool JsonValue::has(std::string_view key) const {
  bool found = false;
  each([&](JsonValue member) { found = found || member.key() == key; });
  return found;
}

/// Takes the events of Boost.JSON's parser. The names and signatures are its contract.
class JsonBuilder {
 public:
  using error_code = boost::json::error_code;
  using string_view = boost::json::string_view;
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code& ec) { return open(JsonKind::array, ec); }
  bool on_array_end(std::size_t, error_code& ec) { return close(']', ec); }
  bool on_object_begin(error_code& ec) { return open(JsonKind::object, ec); }
  bool on_object_end(std::size_t, error_code& ec) { return close('}', ec); }
  bool on_string_part(string_view part, std::size_t, error_code&) { return extend(part); }
  bool on_string(string_view part, std::size_t, error_code& ec) { return extend(part) && add(JsonKind::string, ec); }
  bool on_key_part(string_view part, std::size_t, error_code&) { return extend(part); }
  bool on_key(string_view part, std::size_t, error_code& ec) { return extend(part) && end_key(ec); }
  bool on_number_part(string_view part, error_code&) { return extend(part); }
  bool on_int64(std::int64_t, string_view part, error_code& ec) { return end_number(part, ec); }
  bool on_uint64(std::uint64_t, string_view part, error_code& ec) { return end_number(part, ec); }
  bool on_double(double, string_view part, error_code& ec) { return end_number(part, ec); }
  bool on_bool(bool value, error_code& ec) { return extend(value ? "true" : "false") && add(JsonKind::boolean, ec); }
  bool on_null(error_code& ec) { return (!raw_ || extend("null")) && add(JsonKind::null, ec); }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

  JsonDocument document;
  std::optional<Error> refusal;
  std::string_view raw_key;

 private:
  struct Container {
    std::uint32_t node;
    std::uint32_t last_child;
  };

  bool refuse(Error error, error_code& ec) {
    refusal = std::move(error);
    ec = boost::json::error::syntax;
    return false;
  }

  bool extend(string_view part) {
    document.texts_.append(part.data(), part.size());
    return true;
  }

  bool end_number(string_view part, error_code& ec) { return extend(part) && add(JsonKind::number, ec); }

  /// The text gathered since the last one ended.
  JsonDocument::Text end_text() {
    const auto end = static_cast<std::uint32_t>(document.texts_.size());
    const JsonDocument::Text text{text_begin_, end - text_begin_};
    text_begin_ = end;
    return text;
  }

  /// Takes the text gathered since the last one ended away again.
  std::string take_text() {
    std::string text = document.texts_.substr(text_begin_);
    document.texts_.resize(text_begin_);
    return text;
  }

  bool end_key(error_code& ec) {
    if (raw_) return raw_->key(take_text()), true;
    key_ = end_text();
    const JsonDocument::Node& object = document.nodes_[open_.back().node];
    if (object.children >= kMaxJsonMembers) {
      return refuse(Error{Code::too_many, "an object may have " + std::to_string(kMaxJsonMembers) + " members", {}, {}},
                    ec);
    }
    const std::string_view key = document.view(key_);
    for (std::uint32_t child = object.first_child; child != 0; child = document.nodes_[child].next_sibling) {
      if (document.view(document.nodes_[child].key) != key) continue;
      return refuse(Error{Code::unreadable, "a key stands twice in one object", std::string(key), {}}, ec);
    }
    if (!raw_key.empty() && key == raw_key) raw_.emplace();
    return true;
  }

  bool add(JsonKind kind, error_code& ec) {
    if (raw_) {
      kind == JsonKind::string ? raw_->string(take_text()) : raw_->plain(take_text());
      return end_raw(ec);
    }
    if (document.nodes_.size() >= kMaxJsonValues) {
      return refuse(Error{Code::too_many, "there are more than " + std::to_string(kMaxJsonValues) + " values", {}, {}},
                    ec);
    }
    const auto index = static_cast<std::uint32_t>(document.nodes_.size());
    JsonDocument::Node node;
    node.kind = kind;
    node.text = end_text();
    node.key = std::exchange(key_, {});
    document.nodes_.push_back(node);
    if (open_.empty()) return true;
    Container& parent = open_.back();
    ++document.nodes_[parent.node].children;
    (parent.last_child == 0 ? document.nodes_[parent.node].first_child
                            : document.nodes_[parent.last_child].next_sibling) = index;
    parent.last_child = index;
    return true;
  }

  /// A raw value that is whole becomes one of the document.
  bool end_raw(error_code& ec) {
    if (!raw_->complete()) return true;
    document.texts_ += raw_->text();
    raw_.reset();
    return add(JsonKind::raw, ec);
  }

  bool open(JsonKind kind, error_code& ec) {
    if (raw_) return raw_->begin(kind == JsonKind::array ? '[' : '{'), true;
    if (!add(kind, ec)) return false;
    open_.push_back({static_cast<std::uint32_t>(document.nodes_.size() - 1), 0});
    return true;
  }

  bool close(char bracket, error_code& ec) {
    if (raw_) {
      raw_->end(bracket);
      return end_raw(ec);
    }
    open_.pop_back();
    return true;
  }

  std::vector<Container> open_;
  std::optional<RawJson> raw_;  // the value that is being kept as text
  std::uint32_t text_begin_ = 0;
  JsonDocument::Text key_;
};

Result<JsonDocument> JsonDocument::parse(std::string_view text, std::string_view raw_key) {
  if (text.size() > kMaxBodyBytes) return fail(Code::too_large, "the JSON is too long");
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::json::basic_parser<JsonBuilder> parser(options);
  parser.handler().raw_key = raw_key;
  boost::json::error_code ec;
  const std::size_t read = parser.write_some(false, text.data(), text.size(), ec);
  if (parser.handler().refusal) return fail(*parser.handler().refusal);
  if (!ec && read < text.size()) ec = boost::json::error::extra_data;
  if (ec) {
    return fail(Code::unreadable, "this is not JSON: " + ec.message() + " at byte " + std::to_string(read));
  }
  return std::move(parser.handler().document);
}

/// Looks at nothing: the parser itself refuses what is no JSON.
class JsonCheck {
 public:
  using error_code = boost::json::error_code;
  using string_view = boost::json::string_view;
  static constexpr std::size_t max_array_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_object_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_string_size = static_cast<std::size_t>(-1);
  static constexpr std::size_t max_key_size = static_cast<std::size_t>(-1);

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_array_begin(error_code&) { return true; }
  bool on_array_end(std::size_t, error_code&) { return true; }
  bool on_object_begin(error_code&) { return true; }
  bool on_object_end(std::size_t, error_code&) { return true; }
  bool on_string_part(string_view, std::size_t, error_code&) { return true; }
  bool on_string(string_view, std::size_t, error_code&) { return true; }
  bool on_key_part(string_view, std::size_t, error_code&) { return true; }
  bool on_key(string_view, std::size_t, error_code&) { return true; }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, string_view, error_code&) { return true; }
  bool on_uint64(std::uint64_t, string_view, error_code&) { return true; }
  bool on_double(double, string_view, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }
};

bool is_json(std::string_view text) {
  boost::json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  boost::json::basic_parser<JsonCheck> parser(options);
  boost::json::error_code ec;
  return parser.write_some(false, text.data(), text.size(), ec) == text.size() && !ec;
}

}  // namespace scoreline::http
