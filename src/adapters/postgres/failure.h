// Why a call to the server failed, and what that means to us.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace scoreline::postgres {

struct Failure {
  std::string state;             ///< SQLSTATE; empty when it was not the server that said so
  std::string message;           ///< without passwords
  bool connection_lost = false;  ///< a later attempt needs a new connection
  /// All was sent, and whether it was committed never came back.
  bool may_be_kept = false;
};

enum class Trouble {
  full,       ///< no room on the server's disk
  conflict,   ///< another transaction was in the way (serialization failure, deadlock): the same again may succeed
  read_only,  ///< a standby, or told to take no writes
  refused,    ///< a value that the server does not take: of no use to send again
  damaged,    ///< a page does not verify
  defect,     ///< our statement does not fit the schema or the rights of our role
  away,       ///< everything else: not reached, stopping, out of memory or connections, too slow
};
Trouble trouble_of(const Failure& failure);

/// Codes: unknown_outcome when it may be kept, else storage_full, storage_failed, invalid (refused), damaged; with
/// retry_after where time may help. `doing` names what failed: `reading results`.
Error to_error(const Failure& failure, std::string_view doing);

/// Of a call that changes nothing: never unknown_outcome.
Error to_read_error(Failure failure, std::string_view doing);

}  // namespace scoreline::postgres
