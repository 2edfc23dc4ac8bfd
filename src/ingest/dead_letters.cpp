#include "ingest/dead_letters.h"

#include "base/utf8.h"

namespace scoreline::ingest {
namespace {

constexpr std::size_t kMaxDetailBytes = 1'024;
constexpr std::size_t kMaxFieldBytes = 256;

}  // namespace

Error kept_reason(const Error& reason) {
  return {reason.code, visible_text(reason.detail, kMaxDetailBytes), visible_text(reason.field, kMaxFieldBytes), {}};
}

Error conflict_reason() {
  return {Code::conflict,
          "the ledger has this match of this player with other points or another time: the first counts",
          "matchId",
          {}};
}

}  // namespace scoreline::ingest
