// Rendered pages that many readers ask for: the top of a board, the embedded files.
//
// Thread safety: every call may come from any thread; none holds the lock for longer than one look-up.
// Invariant: a page is never older than the version it is kept under; a changed board is rendered anew when it is next
// asked for. Memory: at most kMaxPages pages.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "http/message.h"

namespace scoreline::http {

struct CachedPage {
  std::uint64_t version = 0;
  std::shared_ptr<const std::string> body;
  std::string etag;
};

/// A strong validator made of the bytes themselves: the same page has the same tag on every node and after a restart.
std::string etag_of(std::string_view body);

/// `page` as an answer: 304 without a body when the request has it already (If-None-Match).
Response answer_with(const CachedPage& page, const Request& request);

class PageCache {
 public:
  static constexpr std::size_t kMaxPages = 1024;

  /// nullptr when there is none of this version.
  std::shared_ptr<const CachedPage> find(const std::string& key, std::uint64_t version) const;
  std::shared_ptr<const CachedPage> put(const std::string& key, std::uint64_t version, std::string body);

 private:
  mutable std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<const CachedPage>> pages_;
};

}  // namespace scoreline::http
