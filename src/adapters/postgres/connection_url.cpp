#include "adapters/postgres/connection_url.h"

#include <fmt/format.h>
#include <libpq-fe.h>

#include <algorithm>
#include <map>
#include <memory>

namespace scoreline::postgres {
namespace {

constexpr const char* kExpected = "expected postgresql://user:password@host:port/database";

}  // namespace

Result<ConnectionUrl> ConnectionUrl::parse(std::string_view url) {
  if (!url.starts_with("postgresql://") && !url.starts_with("postgres://")) return fail(Code::usage, kExpected);
  ConnectionUrl parsed;
  parsed.text_ = url;
  char* reason = nullptr;
  const std::unique_ptr<PQconninfoOption, void (*)(PQconninfoOption*)> options(
      PQconninfoParse(parsed.text_.c_str(), &reason), PQconninfoFree);
  PQfreemem(reason);  // it may repeat the password
  if (!options) {
    return fail(Code::usage,
                fmt::format("the URL of the ledger cannot be read: {}, each part percent-encoded", kExpected));
  }
  std::map<std::string, std::string, std::less<>> values;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) values[option->keyword] = option->val;
  }
  if (values["host"].find('@') != std::string::npos) {
    return fail(Code::usage, "the URL of the ledger has an @ in its host: write an @ of the password as %40");
  }
  for (const char* keyword : {"password", "sslpassword"}) {
    if (!values[keyword].empty()) parsed.secrets_.push_back(values[keyword]);
  }
  const auto part = [&values](const char* before, const char* keyword, const char* after) {
    return values[keyword].empty() ? std::string() : fmt::format("{}{}{}", before, values[keyword], after);
  };
  parsed.description_ = fmt::format("postgresql://{}{}{}{}", part("", "user", "@"), part("", "host", ""),
                                    part(":", "port", ""), part("/", "dbname", ""));
  return parsed;
}

std::string ConnectionUrl::redacted(std::string_view message) const {
  std::string text(message);
  for (const std::string& secret : secrets_) {
    for (std::size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 3) {
      text.replace(at, secret.size(), "***");
    }
  }
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

}  // namespace scoreline::postgres
