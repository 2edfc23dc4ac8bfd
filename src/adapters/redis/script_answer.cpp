#include "adapters/redis/script_answer.h"

namespace scoreline::redis {

using leaderboards::Board;
using leaderboards::Offer;
using leaderboards::Page;
using leaderboards::PlayerId;
using leaderboards::Standing;

Result<void> append_offer(std::vector<std::string>& arguments, const Board& board, const MemberCodec& codec,
                          const Offer& offer) {
  auto stored = codec.encode(offer.standing);
  if (!stored) return fail(std::move(stored).error());
  arguments.push_back(offer.player.text());
  arguments.push_back(std::move(stored->score));
  if (codec.prefix_bytes() > 0) arguments.push_back(std::move(stored->prefix));
  if (board.rule == leaderboards::Rule::sum) arguments.push_back(std::to_string(offer.results));
  return {};
}

Error error_of(std::string_view reply) {
  const auto says = [&](std::string_view word) { return reply.find(word) != std::string_view::npos; };
  const std::string quoted = " (" + std::string(reply.substr(0, 200)) + ")";
  if (says("WRONGTYPE")) {
    return Error{Code::not_ready,
                 "somebody else wrote to a key of the board; it has to be loaded again" + quoted,
                 {},
                 std::chrono::seconds{1}};
  }
  if (says("OOM")) {
    return Error{
        Code::storage_full, "the index has no memory left; raise its maxmemory" + quoted, {}, std::chrono::seconds{1}};
  }
  return Error{Code::storage_failed, "the index refuses the call" + quoted, {}, std::nullopt};
}

tl::unexpected<Error> strange_answer() {
  return fail(Code::storage_failed, "the index gave an answer that its script cannot give");
}

Result<Page> page_of(const std::vector<Reply>& parts, const MemberCodec& codec) {
  const std::vector<Reply>& flat = parts[3].elements;
  if (flat.size() % 2 != 0) return strange_answer();
  Page page{static_cast<std::uint64_t>(parts[1].integer), {}};
  page.entries.reserve(flat.size() / 2);
  auto rank = static_cast<std::uint64_t>(parts[2].integer);
  const std::size_t prefix = codec.prefix_bytes();
  for (std::size_t i = 0; i < flat.size(); i += 2) {
    const std::string_view member = flat[i].text;
    if (member.size() < prefix) return strange_answer();
    const auto standing = codec.decode(flat[i + 1].text, member.substr(0, prefix));
    if (!standing) return fail(standing.error());
    page.entries.push_back({++rank, PlayerId::trusted(std::string(member.substr(prefix))), *standing});
  }
  return page;
}

Result<Standing> kept_standing(std::string_view text, const MemberCodec& codec) {
  const std::size_t prefix = codec.prefix_bytes();
  if (text.size() < prefix) return strange_answer();
  return codec.decode(text.substr(prefix), text.substr(0, prefix));
}

std::optional<std::uint64_t> rank_in(const Reply& list, std::size_t i) {
  if (i >= list.elements.size() || list.elements[i].kind != Reply::Kind::integer) return std::nullopt;
  return static_cast<std::uint64_t>(list.elements[i].integer) + 1;
}

}  // namespace scoreline::redis
