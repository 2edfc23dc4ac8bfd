#include "support/blocking_redis_client.h"

#include <hiredis/hiredis.h>

#include <sstream>
#include <stdexcept>
#include <utility>

namespace scoreline::test {

using redis::Command;
using redis::Reply;
using redis::ScriptCall;
using redis::ServerInfo;

namespace {

Reply reply_from(const redisReply& from) {
  Reply reply;
  switch (from.type) {
    case REDIS_REPLY_INTEGER:
      reply.kind = Reply::Kind::integer;
      reply.integer = from.integer;
      break;
    case REDIS_REPLY_ARRAY:
      reply.kind = Reply::Kind::array;
      for (std::size_t i = 0; i < from.elements; ++i) reply.elements.push_back(reply_from(*from.element[i]));
      break;
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS: reply = Reply{Reply::Kind::text, 0, std::string(from.str, from.len), {}}; break;
    case REDIS_REPLY_ERROR: reply = Reply{Reply::Kind::error, 0, std::string(from.str, from.len), {}}; break;
    default: break;
  }
  return reply;
}

std::string field_of(const std::string& info, const std::string& name) {
  const auto at = info.find("\n" + name + ":");
  if (at == std::string::npos) return {};
  const auto from = at + name.size() + 2;
  return info.substr(from, info.find('\r', from) - from);
}

std::vector<std::string> words_of(const ScriptCall& call, bool in_full) {
  std::vector<std::string> words = {in_full ? "EVAL" : "EVALSHA",
                                    in_full ? std::string(call.script->text()) : call.script->digest(),
                                    std::to_string(call.keys.size())};
  words.insert(words.end(), call.keys.begin(), call.keys.end());
  words.insert(words.end(), call.arguments.begin(), call.arguments.end());
  return words;
}

}  // namespace

BlockingRedisClient::~BlockingRedisClient() { redisFree(connection_); }

Result<void> BlockingRedisClient::connect() {
  if (connection_ != nullptr) return {};
  const timeval deadline{1, 0};
  connection_ = redisConnectWithTimeout("127.0.0.1", port_, deadline);
  if (connection_ == nullptr || connection_->err != 0) {
    redisFree(std::exchange(connection_, nullptr));
    return fail(Code::storage_failed, "refused");
  }
  redisSetTimeout(connection_, timeval{10, 0});
  const auto info = exchange({{"INFO"}});
  if (!info) return fail(info.error());
  const std::string& text = info->front().text;
  server_ = {field_of(text, "run_id"), "Redis " + field_of(text, "redis_version"), field_of(text, "maxmemory_policy")};
  return {};
}

Result<std::vector<Reply>> BlockingRedisClient::exchange(const std::vector<std::vector<std::string>>& commands) {
  for (const auto& words : commands) {
    std::vector<const char*> texts;
    std::vector<std::size_t> sizes;
    for (const std::string& word : words) {
      texts.push_back(word.data());
      sizes.push_back(word.size());
    }
    redisAppendCommandArgv(connection_, static_cast<int>(words.size()), texts.data(), sizes.data());
  }
  std::vector<Reply> replies;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    void* reply = nullptr;
    if (redisGetReply(connection_, &reply) != REDIS_OK) {
      redisFree(std::exchange(connection_, nullptr));
      return fail(Code::unknown_outcome, "the connection is gone");
    }
    replies.push_back(reply_from(*static_cast<redisReply*>(reply)));
    freeReplyObject(reply);
  }
  return replies;
}

Result<std::vector<Reply>> BlockingRedisClient::run(std::span<const Command> commands) {
  const std::lock_guard lock(mutex_);
  std::vector<std::vector<std::string>> words;
  for (const Command& command : commands) words.push_back(command.words);
  return connect().and_then([&] { return exchange(words); });
}

Result<std::vector<Reply>> BlockingRedisClient::run(std::span<const ScriptCall> calls) {
  if (before_scripts_) before_scripts_();
  const std::lock_guard lock(mutex_);
  if (const auto connected = connect(); !connected) return fail(connected.error());
  std::vector<std::vector<std::string>> words;
  for (const ScriptCall& call : calls) {
    if (!call.run_id.empty() && call.run_id != server_.run_id) return fail(Code::conflict, "another server");
    words.push_back(words_of(call, false));
  }
  auto replies = exchange(words);
  for (std::size_t i = 0; replies && i < replies->size(); ++i) {
    if ((*replies)[i].text.rfind("NOSCRIPT", 0) != 0) continue;
    auto again = exchange({words_of(calls[i], true)});
    if (!again) return again;
    (*replies)[i] = std::move(again->front());
  }
  return replies;
}

Result<ServerInfo> BlockingRedisClient::server_of(std::string_view) {
  const std::lock_guard lock(mutex_);
  return connect().map([&] { return server_; });
}

Reply BlockingRedisClient::command(const std::string& words) {
  std::istringstream in(words);
  std::vector<std::string> list;
  for (std::string word; in >> word;) list.push_back(word);
  return command(std::move(list));
}

Reply BlockingRedisClient::command(std::vector<std::string> words) {
  const std::vector<Command> commands = {{{}, std::move(words)}};
  auto replies = run(std::span<const Command>(commands));
  if (!replies) throw std::runtime_error(replies.error().detail);
  return std::move(replies->front());
}

}  // namespace scoreline::test
