// Where the ledger's server is, and what of it may be shown.
//
// Thread safety: immutable.
// Invariants: nothing but text() holds the password; description() and redacted() never show it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace scoreline::postgres {

class ConnectionUrl {
 public:
  /// `postgresql://user:password@host:port/database?option=…`, whatever libpq takes. Errors: Code::usage, which does
  /// not repeat the URL.
  static Result<ConnectionUrl> parse(std::string_view url);

  /// As it was given, for libpq only.
  const std::string& text() const { return text_; }
  /// `postgresql://user@host:port/database`.
  const std::string& description() const { return description_; }
  /// `message` with every password in it replaced, without a newline at its end.
  std::string redacted(std::string_view message) const;

 private:
  std::string text_, description_;
  std::vector<std::string> secrets_;
};

}  // namespace scoreline::postgres
