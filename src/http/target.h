// The target of a request, taken apart: path segments percent-decoded once, then query parameters.
//
// `/` inside a segment comes as %2F and stays part of it. Nothing is normalised: `//`, `/./` and a slash at the end are
// other paths. Thread safety: as a plain value. O(bytes); allocates only when something is percent-encoded.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::http {

class Target {
 public:
  static constexpr std::size_t kMaxSegments = 12;
  static constexpr std::size_t kMaxParameters = 8;

  /// `raw` must begin with `/` and outlive the target.
  /// Errors: unreadable (a `%` without two hex digits); too_many (parameters).
  static Result<Target> parse(std::string_view raw);

  /// Without the query, as sent.
  std::string_view path() const { return path_; }
  /// Decoded. More than kMaxSegments: none, no route is that long.
  std::span<const std::string_view> segments() const { return {segments_.data(), segment_count_}; }

  /// A parameter's decoded value, if it is there.
  std::optional<std::string_view> parameter(std::string_view name) const;

  /// Errors: invalid, naming the first parameter that is in neither list, or is there twice.
  Result<void> allow_only(std::initializer_list<std::string_view> known,
                          std::span<const std::string_view> known_too = {}) const;

  /// A parameter that is a whole number from `least` to `most`. Errors: invalid, naming it.
  Result<std::uint64_t> whole_number(std::string_view name, std::uint64_t otherwise, std::uint64_t least,
                                     std::uint64_t most) const;

 private:
  struct Parameter {
    std::string_view name;
    std::string_view value;
  };

  Result<std::string_view> decode(std::string_view raw);
  Result<void> parse_path();
  Result<void> parse_query(std::string_view query);

  std::string_view raw_;
  std::string_view path_;
  std::array<std::string_view, kMaxSegments> segments_;
  std::size_t segment_count_ = 0;
  std::array<Parameter, kMaxParameters> parameters_;
  std::size_t parameter_count_ = 0;
  // Decoded text; views into it stay good because it is as large as the raw target from the beginning, and does not
  // move with the Target.
  std::unique_ptr<char[]> decoded_;
  std::size_t decoded_size_ = 0;
};

}  // namespace scoreline::http
