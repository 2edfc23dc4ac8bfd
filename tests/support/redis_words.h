// A Redis command as one types it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "adapters/redis/client.h"

namespace scoreline::test {

/// Words separated by spaces.
inline std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at <= text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

/// Runs `words`, separated by spaces; the second one is the key.
inline Result<redis::Reply> run_words(redis::Client& client, const std::string& words) {
  redis::Command command{{}, words_of(words)};
  if (command.words.size() > 1) command.key = command.words[1];
  auto replies = client.run(std::span<const redis::Command>(&command, 1));
  if (!replies) return fail(std::move(replies).error());
  return std::move(replies->front());
}

}  // namespace scoreline::test
