#include "http/target.h"

#include <algorithm>
#include <charconv>
#include <vector>

namespace scoreline::http {
namespace {

int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace

Result<Target> Target::parse(std::string_view raw) {
  Target target;
  target.raw_ = raw;
  const std::size_t question = raw.find('?');
  target.path_ = raw.substr(0, question);
  if (auto parsed = target.parse_path(); !parsed) return fail(std::move(parsed.error()));
  if (question != std::string_view::npos) {
    if (auto parsed = target.parse_query(raw.substr(question + 1)); !parsed) return fail(std::move(parsed.error()));
  }
  return target;
}

Result<std::string_view> Target::decode(std::string_view raw) {
  if (raw.find('%') == std::string_view::npos) return raw;
  if (!decoded_) decoded_ = std::make_unique<char[]>(raw_.size());
  char* const begin = decoded_.get() + decoded_size_;
  char* out = begin;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    if (raw[i] != '%') {
      *out++ = raw[i];
      continue;
    }
    const int high = i + 1 < raw.size() ? hex_value(raw[i + 1]) : -1;
    const int low = i + 2 < raw.size() ? hex_value(raw[i + 2]) : -1;
    if (high < 0 || low < 0) return fail(Code::unreadable, "a % in the target must be followed by two hex digits");
    *out++ = static_cast<char>(high << 4 | low);
    i += 2;
  }
  const auto size = static_cast<std::size_t>(out - begin);
  decoded_size_ += size;
  return std::string_view(begin, size);
}

Result<void> Target::parse_path() {
  std::string_view rest = path_.substr(1);
  for (;;) {
    const std::size_t slash = rest.find('/');
    const auto segment = decode(rest.substr(0, slash));
    if (!segment) return fail(segment.error());
    if (segment_count_ == kMaxSegments) {
      segment_count_ = 0;
      return {};
    }
    segments_[segment_count_++] = *segment;
    if (slash == std::string_view::npos) return {};
    rest.remove_prefix(slash + 1);
  }
}

Result<void> Target::parse_query(std::string_view query) {
  while (!query.empty()) {
    const std::size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    if (parameter_count_ == kMaxParameters) {
      return fail(Code::too_many, "there may be " + std::to_string(kMaxParameters) + " query parameters");
    }
    const std::size_t equals = pair.find('=');
    const auto name = decode(pair.substr(0, equals));
    if (!name) return fail(name.error());
    const auto value = decode(equals == std::string_view::npos ? std::string_view{} : pair.substr(equals + 1));
    if (!value) return fail(value.error());
    parameters_[parameter_count_++] = {*name, *value};
  }
  return {};
}

std::optional<std::string_view> Target::parameter(std::string_view name) const {
  for (std::size_t i = 0; i < parameter_count_; ++i) {
    if (parameters_[i].name == name) return parameters_[i].value;
  }
  return std::nullopt;
}

Result<void> Target::allow_only(std::initializer_list<std::string_view> known,
                                std::span<const std::string_view> known_too) const {
  std::vector<std::string_view> all(known);
  all.insert(all.end(), known_too.begin(), known_too.end());
  for (std::size_t i = 0; i < parameter_count_; ++i) {
    const std::string_view name = parameters_[i].name;
    if (std::find(all.begin(), all.end(), name) == all.end()) {
      std::string names;
      for (const std::string_view each : all) names += (names.empty() ? "" : ", ") + std::string(each);
      return fail(Code::invalid, "is not a parameter here; " + (names.empty() ? "there is none" : "there are " + names),
                  std::string(name));
    }
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      if (parameters_[earlier].name == name) return fail(Code::invalid, "stands there twice", std::string(name));
    }
  }
  return {};
}

Result<std::uint64_t> Target::whole_number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                                           std::uint64_t most) const {
  const auto text = parameter(name);
  if (!text) return otherwise;
  std::uint64_t value = 0;
  const char* const end = text->data() + text->size();
  const auto [rest, error] = std::from_chars(text->data(), end, value);
  if (error != std::errc{} || rest != end || value < least || value > most) {
    return fail(Code::invalid, "must be a whole number from " + std::to_string(least) + " to " + std::to_string(most),
                std::string(name));
  }
  return value;
}

}  // namespace scoreline::http
