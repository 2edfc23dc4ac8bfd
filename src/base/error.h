// Errors as values: every call that can fail returns Result<T>. One table (error.cpp) gives each code its HTTP
// status, its problem type and its exit code, so that no door invents its own.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace scoreline {

enum class Code {
  unreadable,        ///< the input cannot be parsed at all
  invalid,           ///< it can be parsed, but a value is wrong; `field` names it
  not_found,         ///< no such leaderboard, player, route …
  conflict,          ///< refused because of what is already there
  too_large,         ///< over a size limit
  too_many,          ///< over a count limit of one request
  target_too_long,   ///< the path and query of an HTTP request are over their limit
  header_too_large,  ///< the head of an HTTP request is over its limit
  timed_out,         ///< the rest of the request did not come in time
  forbidden,         ///< not from there, or not under that name
  not_allowed,       ///< the HTTP method does not fit the path
  unsupported,       ///< a media type or encoding that is not taken
  not_ready,         ///< starting: the index is being rebuilt
  overloaded,        ///< a queue is full; try again after `retry_after`
  storage_failed,    ///< the ledger could not write or read; nothing of the request was kept
  storage_full,      ///< as storage_failed, because there is no room
  unknown_outcome,   ///< it may or may not have been stored; sending the same again settles it
  damaged,           ///< stored data does not verify
  locked,            ///< another process holds the data folder
  usage,             ///< the command line or configuration is wrong
  internal,          ///< a defect of ours
};

/// What a code means at each door.
struct CodeTraits {
  std::string_view name;   ///< stable, in snake_case: the `code` of problem details and of `--json` errors
  std::string_view title;  ///< one short sentence, the same for every error of this code
  int http_status;
  int exit_code;
};

const CodeTraits& traits(Code code);
/// The code of that name; nullopt for one that this version does not know.
std::optional<Code> parse_code(std::string_view name);

struct Error {
  Code code = Code::internal;
  std::string detail;  ///< what is wrong with this input and what would be right; safe to show to the caller
  std::string field;   ///< the offending field as the caller wrote it (`points`, `achievedAt`); empty when none
  std::optional<std::chrono::milliseconds> retry_after;  ///< when it is worth trying again
};

template <typename T>
using Result = tl::expected<T, Error>;

/// Shorthand for `return fail(Code::invalid, "must be 0..9", "priority");`
inline tl::unexpected<Error> fail(Code code, std::string detail, std::string field = {}) {
  return tl::unexpected<Error>(Error{code, std::move(detail), std::move(field), std::nullopt});
}

/// Hands on an error of another result type.
inline tl::unexpected<Error> fail(Error error) { return tl::unexpected<Error>(std::move(error)); }

/// Stops the process: a broken invariant must never go on to answer or to write. Used through SCORELINE_CHECK.
[[noreturn]] void broken_invariant(const char* what, const char* file, int line);

}  // namespace scoreline

/// An invariant that holds in every build, release too.
#define SCORELINE_CHECK(condition)                                                   \
  do {                                                                               \
    if (!(condition)) ::scoreline::broken_invariant(#condition, __FILE__, __LINE__); \
  } while (false)
