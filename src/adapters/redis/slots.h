// Which of the 16,384 slots of a cluster a key is in (https://redis.io/docs/reference/cluster-spec/).
#pragma once

#include <cstdint>
#include <string_view>

namespace scoreline::redis {

inline constexpr std::uint16_t kSlots = 16'384;

/// CRC-16/XMODEM: polynomial 0x1021, starting from 0.
std::uint16_t crc16(std::string_view bytes);

/// Of what stands between the first `{` and the next `}` when that is not empty, else of the whole key.
std::uint16_t slot_of(std::string_view key);

}  // namespace scoreline::redis
