#include "adapters/postgres/failure.h"

#include <fmt/format.h>

#include <utility>

namespace scoreline::postgres {
namespace {

constexpr std::chrono::milliseconds kRetryConflict{100};
constexpr std::chrono::milliseconds kRetryAway = std::chrono::seconds{1};
constexpr std::chrono::milliseconds kRetryFull = std::chrono::seconds{5};

}  // namespace

// https://www.postgresql.org/docs/current/errcodes-appendix.html
Trouble trouble_of(const Failure& failure) {
  const std::string_view state = failure.state;
  if (state == "53100") return Trouble::full;
  if (state == "40001" || state == "40P01") return Trouble::conflict;
  if (state == "25006") return Trouble::read_only;
  if (state == "XX001" || state == "XX002") return Trouble::damaged;
  const std::string_view kind = state.substr(0, 2);
  if (kind == "22" || kind == "23") return Trouble::refused;
  if (kind == "42" || kind == "XX" || kind == "0A" || kind == "3F") return Trouble::defect;
  return Trouble::away;
}

Error to_error(const Failure& failure, std::string_view doing) {
  const std::string detail = failure.state.empty()
                                 ? fmt::format("{}: {}", doing, failure.message)
                                 : fmt::format("{}: {} (PostgreSQL {})", doing, failure.message, failure.state);
  if (failure.may_be_kept) return Error{Code::unknown_outcome, detail, {}, kRetryAway};
  switch (trouble_of(failure)) {
    case Trouble::full: return Error{Code::storage_full, detail, {}, kRetryFull};
    case Trouble::conflict: return Error{Code::storage_failed, detail, {}, kRetryConflict};
    case Trouble::read_only: return Error{Code::storage_failed, detail, {}, kRetryFull};
    case Trouble::refused: return Error{Code::invalid, detail, {}, std::nullopt};
    case Trouble::damaged: return Error{Code::damaged, detail, {}, std::nullopt};
    case Trouble::defect: return Error{Code::storage_failed, detail, {}, std::nullopt};
    case Trouble::away: break;
  }
  return Error{Code::storage_failed, detail, {}, kRetryAway};
}

Error to_read_error(Failure failure, std::string_view doing) {
  failure.may_be_kept = false;
  return to_error(failure, doing);
}

}  // namespace scoreline::postgres
