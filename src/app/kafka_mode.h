// How results that come through Kafka reach the boards.
#pragma once

#include <cstdint>

namespace scoreline::app {

enum class KafkaMode : std::uint8_t {
  ledger_first,  ///< into the ledger, then onto the boards
  parallel       ///< onto the boards at once, and into the ledger beside that
};

}  // namespace scoreline::app
