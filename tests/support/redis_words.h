// A Redis command as one types it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "adapters/redis/client.h"

namespace scoreline::test {

/// Runs `words`, separated by spaces; the second one is the key.
inline Result<redis::Reply> run_words(redis::Client& client, const std::string& words) {
  redis::Command command;
  for (std::size_t at = 0; at <= words.size();) {
    const auto end = std::min(words.find(' ', at), words.size());
    command.words.push_back(words.substr(at, end - at));
    at = end + 1;
  }
  if (command.words.size() > 1) command.key = command.words[1];
  auto replies = client.run(std::span<const redis::Command>(&command, 1));
  if (!replies) return fail(std::move(replies).error());
  return std::move(replies->front());
}

}  // namespace scoreline::test
