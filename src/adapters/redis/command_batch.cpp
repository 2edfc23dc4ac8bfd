#include "adapters/redis/command_batch.h"

#include <algorithm>

#include "adapters/redis/connection.h"
#include "adapters/redis/slots.h"

namespace scoreline::redis {

CommandBatch::CommandBatch(std::span<const ScriptCall> calls) : calls_(calls) {
  for (const ScriptCall& call : calls) {
    SCORELINE_CHECK(call.script != nullptr && !call.keys.empty());
    const auto slot = call.keys.size() > 1 ? slot_of(call.keys.front()) : 0;
    const bool one_slot = std::all_of(call.keys.begin() + 1, call.keys.end(),
                                      [&](const std::string& other) { return slot_of(other) == slot; });
    SCORELINE_CHECK(one_slot);
  }
}

std::string_view CommandBatch::key(std::size_t i) const {
  return calls_.empty() ? std::string_view(commands_[i].key) : std::string_view(calls_[i].keys.front());
}

void CommandBatch::append(std::size_t i, std::string& wire) const {
  if (calls_.empty()) {
    append_command_of(wire, commands_[i].words.size());
    for (const auto& word : commands_[i].words) append_word(wire, word);
    return;
  }
  const ScriptCall& call = calls_[i];
  append_command_of(wire, 3 + call.keys.size() + call.arguments.size());
  append_word(wire, "EVALSHA");
  append_word(wire, call.script->digest());
  append_word(wire, std::to_string(call.keys.size()));
  for (const auto& key : call.keys) append_word(wire, key);
  for (const auto& argument : call.arguments) append_word(wire, argument);
}

}  // namespace scoreline::redis
