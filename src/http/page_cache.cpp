#include "http/page_cache.h"

#include <xxhash.h>

#include <utility>

namespace scoreline::http {
namespace {

/// If-None-Match is `*` or a list of tags; a weak mark `W/` makes no difference to it (RFC 9110, 13.1.2).
bool matches(std::string_view if_none_match, std::string_view etag) {
  if (if_none_match == "*") return true;
  // A tag holds hex digits between its quotes, so it cannot stand inside another one.
  return if_none_match.find(etag) != std::string_view::npos;
}

}  // namespace

std::string etag_of(std::string_view body) {
  static constexpr char kHex[] = "0123456789abcdef";
  const std::uint64_t hash = XXH3_64bits(body.data(), body.size());
  std::string tag = "\"";
  for (int shift = 60; shift >= 0; shift -= 4) tag += kHex[hash >> shift & 15];
  return tag + '"';
}

Response answer_with(const CachedPage& page, const Request& request) {
  Response response;
  response.etag = page.etag;
  if (!request.if_none_match.empty() && matches(request.if_none_match, page.etag)) {
    response.status = 304;
  } else {
    response.shared_body = page.body;
  }
  return response;
}

std::shared_ptr<const CachedPage> PageCache::find(const std::string& key, std::uint64_t version) const {
  const std::lock_guard lock(mutex_);
  const auto found = pages_.find(key);
  return found == pages_.end() || found->second->version != version ? nullptr : found->second;
}

std::shared_ptr<const CachedPage> PageCache::put(const std::string& key, std::uint64_t version, std::string body) {
  std::string etag = etag_of(body);
  auto page = std::make_shared<const CachedPage>(
      CachedPage{version, std::make_shared<const std::string>(std::move(body)), std::move(etag)});
  const std::lock_guard lock(mutex_);
  if (pages_.size() >= kMaxPages) pages_.clear();
  pages_[key] = page;
  return page;
}

}  // namespace scoreline::http
