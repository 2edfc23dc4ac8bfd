// bench_redis [PLAYERS] [LAPS]: batches applied to boards on a Redis server of its own, beside redis-benchmark doing as
// many ZADD GT on a set of as many members with as long ids; and the memory that the boards take.
//
// redis-benchmark keeps 50 connections busy with pipelines of 64; the index is asked as a node's one writer asks it,
// one batch of 500 after the other, each answered before the next is sent. They take turns, a lap each; figures are
// medians over the laps, ratios medians of the laps' ratios. Requests are made before the clock starts.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "adapters/redis/client.h"
#include "adapters/redis/redis_rank_index.h"
#include "adapters/redis/url.h"
#include "base/clock.h"
#include "base/random.h"
#include "figures.h"
#include "redis/made_offers.h"
#include "support/redis_server.h"

namespace scoreline::bench {
namespace {

using leaderboards::Board;
using leaderboards::KeyKind;
using leaderboards::Offer;
using leaderboards::Ranks;
using leaderboards::Rule;

constexpr std::size_t kBatch = 500;
constexpr std::size_t kLapBatches = 200;
constexpr std::size_t kLapOffers = kLapBatches * kBatch;
const Timestamp kSeasonStart{1'790'000'000'000};

template <typename T>
T given(Result<T> result) {
  if (result) return *std::move(result);
  std::fprintf(stderr, "bench_redis: %s\n", result.error().detail.c_str());
  std::exit(1);
}

void done(const Result<void>& result) {
  given(result.map([] { return true; }));
}

/// A kind of board that is measured.
struct Kind {
  const char* name;
  Board board;
  std::vector<double> rates = {}, ratios = {};
  double bytes_a_player = 0;
  double load_s = 0;
};

Board board_with(int season, Rule rule, KeyKind key) {
  return Board{.id = {leaderboards::LeaderboardName::trusted("main"), {season}},
               .rule = rule,
               .key = key,
               .season_start = kSeasonStart};
}

class Bench {
 public:
  explicit Bench(std::uint64_t players) : players_(players) {
    const auto url = given(redis::parse_url(fmt::format("redis://127.0.0.1:{}", server_.port())));
    client_ = given(redis::open_client(url, {}, clock_, random_));
    index_ = given(redis::RedisRankIndex::open(*client_, {.epoch = "bench"}, clock_, random_));
  }

  void load(Kind& kind, MadeOffers& made) {
    const std::vector<Offer> offers = made.everyone();
    const double before = used_memory();
    auto next = offers.begin();
    kind.load_s = seconds([&] {
      done(index_->begin_load(kind.board));
      done(index_->load(kind.board, offers.size(),
                        [&] { return next == offers.end() ? std::nullopt : std::optional(*next++); }));
    });
    kind.bytes_a_player = (used_memory() - before) / static_cast<double>(players_);
  }

  /// What redis-benchmark writes to.
  void load_peer() {
    constexpr std::uint64_t kTogether = 500;
    const std::string key(kPeerKey);
    for (std::uint64_t player = 0; player < players_; player += kTogether) {
      redis::Command command{key, {"ZADD", key}};
      for (std::uint64_t i = player; i < std::min(player + kTogether, players_); ++i) {
        command.words.push_back(std::to_string(random_.below(players_)) + kScoreTail);
        command.words.push_back(made_player(i));
      }
      given(client_->run(std::span<const redis::Command>(&command, 1)));
    }
  }

  /// Offers a second.
  double apply_lap(Kind& kind, MadeOffers& made) {
    std::vector<std::vector<Offer>> batches(kLapBatches);
    for (auto& batch : batches) batch = made.next(kBatch);
    return kLapOffers / seconds([&] {
             for (const auto& batch : batches) given(index_->apply(kind.board, batch, Ranks::skip));
           });
  }

  /// Commands a second.
  double peer_lap() const {
    const std::string command = fmt::format(
        "redis-benchmark -p {} -P 64 -n {} -r {} -q ZADD {} GT __rand_int__{} id-__rand_int__ | tr '\\r' '\\n'",
        server_.port(), kLapOffers, players_, kPeerKey, kScoreTail);
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), &::pclose);
    double rate = 0;
    for (std::array<char, 512> line; pipe && std::fgets(line.data(), line.size(), pipe.get()) != nullptr;) {
      const std::string_view text(line.data());
      const auto end = text.find(" requests per second");
      if (end != std::string_view::npos) rate = std::atof(line.data() + text.rfind(' ', end - 1));
    }
    if (rate > 0) return rate;
    std::fprintf(stderr, "bench_redis: redis-benchmark said nothing\n");
    std::exit(1);
  }

 private:
  static constexpr const char* kPeerKey = "peer";
  static constexpr const char* kScoreTail = "0000000000";  // scores as long as those of packed boards

  double used_memory() {
    const redis::Command command{"", {"INFO", "memory"}};
    const std::string info = given(client_->run(std::span<const redis::Command>(&command, 1))).front().text;
    return std::atof(info.c_str() + info.find("used_memory:") + 12);
  }

  const std::uint64_t players_;
  SystemClock clock_;
  SeededRandom random_{1};
  test::RedisServer server_;
  std::unique_ptr<redis::Client> client_;
  std::unique_ptr<redis::RedisRankIndex> index_;
};

}  // namespace
}  // namespace scoreline::bench

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  const auto players = static_cast<std::uint64_t>(argc > 1 ? std::atol(argv[1]) : 100'000);
  const int laps = argc > 2 ? std::atoi(argv[2]) : 5;
  if (players < 1'000 || laps < 1) {
    std::fprintf(stderr, "usage: bench_redis [PLAYERS, 1000 or more] [LAPS]\n");
    return 64;
  }
  Bench bench(players);
  std::vector<Kind> kinds = {{"packed", board_with(1, Rule::best, KeyKind::packed)},
                             {"wide", board_with(2, Rule::best, KeyKind::wide)},
                             {"sum, packed", board_with(3, Rule::sum, KeyKind::packed)},
                             {"sum, wide", board_with(4, Rule::sum, KeyKind::wide)}};
  std::deque<MadeOffers> made;
  for (Kind& kind : kinds) bench.load(kind, made.emplace_back(kind.board, players));
  bench.load_peer();
  std::vector<double> peer;
  for (int lap = 0; lap < laps; ++lap) {
    peer.push_back(bench.peer_lap());
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      kinds[i].rates.push_back(bench.apply_lap(kinds[i], made[i]));
      kinds[i].ratios.push_back(kinds[i].rates.back() / peer.back());
    }
  }

  fmt::print("{} players, batches of {}, {} laps of {} offers\n", players, kBatch, laps, kLapOffers);
  fmt::print("| board | offers a second | of ZADD GT | bytes a player | load, s |\n|---|---|---|---|---|\n");
  std::string rates = fmt::format("\"zadd_gt\":{:.0f}", percentile_of(peer, 0.5));
  std::string ratios, bytes;
  for (const Kind& kind : kinds) {
    const double rate = percentile_of(kind.rates, 0.5), ratio = percentile_of(kind.ratios, 0.5);
    fmt::print("| {} | {:.0f} | {:.2f} | {:.0f} | {:.2f} |\n", kind.name, rate, ratio, kind.bytes_a_player,
               kind.load_s);
    rates += fmt::format(",\"{}\":{:.0f}", kind.name, rate);
    const char* comma = ratios.empty() ? "" : ",";
    ratios += fmt::format("{}\"{}\":{:.3f}", comma, kind.name, ratio);
    bytes += fmt::format("{}\"{}\":{:.0f}", comma, kind.name, kind.bytes_a_player);
  }
  fmt::print("| redis-benchmark -P 64 ZADD GT | {:.0f} | 1 | | |\n", percentile_of(peer, 0.5));
  fmt::print("{{\"bench\":\"redis\",\"players\":{},\"per_second\":{{{}}},\"ratio\":{{{}}},\"bytes\":{{{}}}}}\n",
             players, rates, ratios, bytes);
}
