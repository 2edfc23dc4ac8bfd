// What the server's settings mean for the ledger.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/postgres/session.h"
#include "base/error.h"

namespace scoreline::postgres {

/// What an answered result survives.
enum class Durability : std::uint8_t {
  os,          ///< the death of the server's processes
  disk,        ///< a power failure
  replicated,  ///< the loss of the machine: a synchronous standby has it too
};
std::string_view to_string(Durability durability);

struct ServerReport {
  Durability durability = Durability::disk;
  std::vector<std::string> notes;  ///< what the operator should know; empty when nothing
};

Result<ServerReport> report_on(Session& session, Monotonic deadline);

}  // namespace scoreline::postgres
