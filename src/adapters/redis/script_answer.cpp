#include "adapters/redis/script_answer.h"

namespace scoreline::redis {

using leaderboards::Board;
using leaderboards::Entry;
using leaderboards::Page;
using leaderboards::PlayerId;
using leaderboards::Standing;
using leaderboards::Ties;

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

Result<Entry> entry_of(const Reply& member, const Reply& score, const MemberCodec& codec) {
  const std::size_t prefix = codec.prefix_bytes();
  const std::string_view text = member.text;
  if (text.size() < prefix) return strange_answer();
  return codec.decode(score.text, text.substr(0, prefix)).map([&](const Standing& standing) {
    return Entry{0, PlayerId::trusted(std::string(text.substr(prefix))), standing};
  });
}

Result<Page> page_of(const std::vector<Reply>& parts, const Board& board) {
  const std::vector<Reply>& flat = parts[3].elements;
  if (flat.size() % 2 != 0) return strange_answer();
  const MemberCodec codec(board);
  Page page{static_cast<std::uint64_t>(parts[1].integer), {}};
  page.entries.reserve(flat.size() / 2);
  auto position = static_cast<std::uint64_t>(parts[2].integer);
  for (std::size_t i = 0; i < flat.size(); i += 2) {
    auto entry = entry_of(flat[i], flat[i + 1], codec);
    if (!entry) return fail(entry.error());
    entry->rank = ++position;
    if (page.entries.empty()) {
      page.first_position = position;
      if (board.shares_ranks()) {
        if (parts.size() < 5) return strange_answer();
        entry->rank = static_cast<std::uint64_t>(parts[4].integer) + 1;
      }
    } else if (board.shares_ranks()) {
      const Entry& before = page.entries.back();
      if (are_equal(before.standing, entry->standing)) {
        entry->rank = before.rank;
      } else if (board.ties == Ties::dense) {
        entry->rank = before.rank + 1;
      }
    }
    page.entries.push_back(*std::move(entry));
  }
  return page;
}

std::optional<std::uint64_t> rank_in(const Reply& list, std::size_t i) {
  if (i >= list.elements.size() || list.elements[i].kind != Reply::Kind::integer) return std::nullopt;
  return static_cast<std::uint64_t>(list.elements[i].integer) + 1;
}

}  // namespace scoreline::redis
