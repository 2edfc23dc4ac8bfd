// What one call of the client sends, commands or scripts, seen alike.
//
// Thread safety: immutable; what it is made of must outlive it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "adapters/redis/client.h"

namespace scoreline::redis {

class CommandBatch {
 public:
  explicit CommandBatch(std::span<const Command> commands) : commands_(commands) {}
  /// All keys of a call are in one slot: a call that breaks this would fail only in a cluster, and late.
  explicit CommandBatch(std::span<const ScriptCall> calls);

  std::size_t size() const { return commands_.size() + calls_.size(); }
  std::string_view key(std::size_t i) const;
  const Script* script(std::size_t i) const { return calls_.empty() ? nullptr : calls_[i].script; }
  std::string_view run_id(std::size_t i) const { return calls_.empty() ? std::string_view() : calls_[i].run_id; }
  /// Appends command `i` as the server reads it.
  void append(std::size_t i, std::string& wire) const;

 private:
  std::span<const Command> commands_;  // one of both is empty
  std::span<const ScriptCall> calls_;
};

}  // namespace scoreline::redis
