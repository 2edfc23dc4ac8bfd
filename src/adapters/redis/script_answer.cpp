#include "adapters/redis/script_answer.h"

namespace scoreline::redis {

using leaderboards::Page;
using leaderboards::PlayerId;

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
  return Error{Code::storage_failed, "the index refuses the call" + quoted, {}, std::chrono::seconds{1}};
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

std::optional<std::uint64_t> rank_in(const Reply& list, std::size_t i) {
  if (i >= list.elements.size() || list.elements[i].kind != Reply::Kind::integer) return std::nullopt;
  return static_cast<std::uint64_t>(list.elements[i].integer) + 1;
}

}  // namespace scoreline::redis
