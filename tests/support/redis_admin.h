// What an operator does with redis-cli: commands to one server, seen as text.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "adapters/redis/connection.h"
#include "base/clock.h"
#include "support/eventually.h"
#include "support/redis_words.h"

namespace scoreline::test {

/// On a connection of its own that takes any server: replicas and sentinels too. Nothing within a second: an empty
/// array.
inline redis::Reply ask_server(int port, const std::vector<std::string>& words) {
  static const SystemClock kClock;
  const redis::Endpoint at{"127.0.0.1", static_cast<std::uint16_t>(port)};
  const auto until = kClock.monotonic() + std::chrono::seconds{1};
  std::string wire;
  redis::append_command_of(wire, words.size());
  for (const auto& word : words) redis::append_word(wire, word);
  std::vector<redis::Reply> replies;
  const auto connection = redis::Connection::open(at, {}, kClock, until);
  if (!connection || !(*connection)->exchange(wire, 1, replies, until)) return {redis::Reply::Kind::array, 0, {}, {}};
  return std::move(replies.front());
}

/// `words` separated by spaces. The reply as redis-cli would print it, if it is a line.
inline std::string say_to(int port, const std::string& words) {
  const redis::Reply reply = ask_server(port, words_of(words));
  return reply.kind == redis::Reply::Kind::integer ? std::to_string(reply.integer) : reply.text;
}

}  // namespace scoreline::test
