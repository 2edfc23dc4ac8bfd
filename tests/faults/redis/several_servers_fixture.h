// Two nodes and a board on more servers than one: a cluster, or a master with its sentinels.
#pragma once

#include "faults/redis/index_fixture.h"

namespace scoreline::test {

class SeveralServers : public testing::TestWithParam<Program> {
 protected:
  void SetUp() override { SKIP_UNLESS_INSTALLED(GetParam()); }

  void start(const std::string& url, redis::ClientOptions client = {}) {
    url_ = url;
    for (auto* const node : {&node_, &other_}) node->emplace(url, redis::RankIndexOptions{.epoch = "ledger"}, client);
    for (int i = 0; i < 50; ++i) ledger_.add("p" + std::to_string(i), 10 + i, Timestamp{0});
    must(reload(*node_->index, board_, ledger_));
    expect_as_ledger(*other_->index, board_, ledger_);
  }
  Result<bool> submit(RedisNode& to, const std::string& id, std::int64_t points) {
    ledger_.add(id, points, Timestamp{0});
    const Offer now{player(id), *ledger_.standing(id)};
    return to.index->apply(board_, {&now, 1}, Ranks::skip).map([](const auto& a) { return a.front().changed; });
  }

  /// How much of the master's writes a server has.
  static std::string offset_of(const RedisServer& server) {
    const std::string info = say_to(server.port(), "INFO replication");
    const auto at = std::min(info.find("master_repl_offset:"), info.size());
    return info.substr(at, info.find('\r', at) - at);
  }

  const Board board_ = board_of(KeyKind::wide);
  ModelBoard ledger_{board_};
  std::string url_;
  std::optional<RedisNode> node_;
  std::optional<RedisNode> other_;
};

}  // namespace scoreline::test
