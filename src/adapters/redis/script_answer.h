// What the scripts of lua/ return, read with care: the server is another program.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/member_codec.h"
#include "base/error.h"
#include "leaderboards/rank_index.h"

namespace scoreline::redis {

/// What an error reply means for the caller.
Error error_of(std::string_view reply);

/// An answer that no script of ours gives.
tl::unexpected<Error> strange_answer();

/// seq, players, skip, [member, score …], and where equals share ranks how many ranks are above the first.
Result<leaderboards::Page> page_of(const std::vector<Reply>& parts, const leaderboards::Board& board);

/// One entry: member, score. Its rank is left to the caller.
Result<leaderboards::Entry> entry_of(const Reply& member, const Reply& score, const MemberCodec& codec);

/// Element `i` as a rank from 1: the reply counts who ranks above.
std::optional<std::uint64_t> rank_in(const Reply& list, std::size_t i);

}  // namespace scoreline::redis
