#include "base/error.h"

#include <cstdio>
#include <cstdlib>

namespace scoreline {

const CodeTraits& traits(Code code) {
  static constexpr CodeTraits kUnreadable{"unreadable", "The input cannot be read", 400, 65};
  static constexpr CodeTraits kInvalid{"invalid", "A value is not valid", 422, 65};
  static constexpr CodeTraits kNotFound{"not_found", "There is no such thing", 404, 3};
  static constexpr CodeTraits kConflict{"conflict", "It conflicts with what is there", 409, 4};
  static constexpr CodeTraits kTooLarge{"too_large", "It is too large", 413, 65};
  static constexpr CodeTraits kTooMany{"too_many", "It asks for too many at once", 422, 65};
  static constexpr CodeTraits kTargetTooLong{"target_too_long", "The path and query are too long", 414, 65};
  static constexpr CodeTraits kHeaderTooLarge{"header_too_large", "The header is too large", 431, 65};
  static constexpr CodeTraits kTimedOut{"timed_out", "The request did not come in time", 408, 75};
  static constexpr CodeTraits kForbidden{"forbidden", "It is not let in", 403, 77};
  static constexpr CodeTraits kNotAllowed{"not_allowed", "The method is not allowed here", 405, 64};
  static constexpr CodeTraits kUnsupported{"unsupported", "The media type is not supported", 415, 65};
  static constexpr CodeTraits kNotReady{"not_ready", "The server is not ready yet", 503, 75};
  static constexpr CodeTraits kOverloaded{"overloaded", "The server is overloaded", 503, 75};
  static constexpr CodeTraits kStorageFailed{"storage_failed", "The ledger cannot be written or read", 503, 74};
  static constexpr CodeTraits kStorageFull{"storage_full", "The ledger has no room", 507, 74};
  static constexpr CodeTraits kUnknownOutcome{"unknown_outcome", "It is not known whether it was stored", 503, 75};
  static constexpr CodeTraits kDamaged{"damaged", "Stored data is damaged", 500, 5};
  static constexpr CodeTraits kLocked{"locked", "Another process uses the data folder", 409, 6};
  static constexpr CodeTraits kUsage{"usage", "The command or configuration is wrong", 400, 64};
  static constexpr CodeTraits kInternal{"internal", "Something is wrong inside", 500, 70};
  switch (code) {
    case Code::unreadable: return kUnreadable;
    case Code::invalid: return kInvalid;
    case Code::not_found: return kNotFound;
    case Code::conflict: return kConflict;
    case Code::too_large: return kTooLarge;
    case Code::too_many: return kTooMany;
    case Code::target_too_long: return kTargetTooLong;
    case Code::header_too_large: return kHeaderTooLarge;
    case Code::timed_out: return kTimedOut;
    case Code::forbidden: return kForbidden;
    case Code::not_allowed: return kNotAllowed;
    case Code::unsupported: return kUnsupported;
    case Code::not_ready: return kNotReady;
    case Code::overloaded: return kOverloaded;
    case Code::storage_failed: return kStorageFailed;
    case Code::storage_full: return kStorageFull;
    case Code::unknown_outcome: return kUnknownOutcome;
    case Code::damaged: return kDamaged;
    case Code::locked: return kLocked;
    case Code::usage: return kUsage;
    case Code::internal: return kInternal;
  }
  return kInternal;
}

std::optional<Code> parse_code(std::string_view name) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i) {
    if (traits(static_cast<Code>(i)).name == name) return static_cast<Code>(i);
  }
  return std::nullopt;
}

void broken_invariant(const char* what, const char* file, int line) {
  std::fprintf(stderr, "scoreline: broken invariant: %s (%s:%d)\n", what, file, line);
  std::abort();
}

}  // namespace scoreline
