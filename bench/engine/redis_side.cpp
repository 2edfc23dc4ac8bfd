#include "redis_side.h"

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>

#include "redis_server.h"

namespace scoreline::bench {
namespace {

constexpr std::string_view kKey = "board";

/// As many ECHOs as `pipeline` has commands, with as many bytes to read and parse.
Pipeline echoes_like(const Pipeline& pipeline) {
  const std::size_t each = pipeline.bytes().size() / pipeline.commands();
  const std::string payload(each > 26 ? each - 26 : 1, 'x');  // 26: what an ECHO is besides its payload
  Pipeline echoes;
  while (echoes.commands() < pipeline.commands()) echoes.add({"ECHO", payload});
  return echoes;
}

class RedisMeasurement {
 public:
  RedisMeasurement(RedisServer& server, std::uint64_t members, int repetitions)
      : server_(server), members_(members), repetitions_(repetitions) {}

  void load();
  /// Microseconds an operation of the pipeline that `make` fills with `kOperations` operations.
  double each(const std::function<void(Pipeline&)>& make, const std::function<void()>& afterwards = {});

  void updates(Pipeline& pipeline, std::size_t batch);
  void ranks(Pipeline& pipeline);
  void arounds(Pipeline& pipeline);
  void pops(Pipeline& pipeline, std::size_t batch);
  void refill();
  double used_memory();

  double insert() const { return insert_; }

  static constexpr std::size_t kOperations = 64'000;

 private:
  std::string member() { return std::string(MemberId(random_() % members_).text()); }
  std::string score() { return std::to_string(random_score(random_).redis_score()); }
  double command_seconds();

  RedisServer& server_;
  std::uint64_t members_;
  int repetitions_;
  std::mt19937_64 random_{5};
  double insert_ = 0;
};

/// In random order, so that its nodes lie in memory as after long use.
void RedisMeasurement::load() {
  constexpr std::size_t kTogether = 100'000;
  const std::vector<std::uint32_t> order = shuffled(members_, 1);
  double took = 0;
  for (std::size_t at = 0; at < order.size(); at += kTogether) {
    Pipeline pipeline;
    for (std::size_t i = at; i < std::min(order.size(), at + kTogether); ++i) {
      pipeline.add({"ZADD", kKey, score(), MemberId(order[i]).text()});
    }
    const double start = server_.cpu_seconds();
    server_.run(pipeline);
    took += server_.cpu_seconds() - start;
  }
  insert_ = took * 1e6 / static_cast<double>(members_);
}

/// Seconds spent in sorted-set commands since the statistics were reset.
double RedisMeasurement::command_seconds() {
  const std::string statistics = server_.ask({"INFO", "commandstats"});
  double seconds = 0;
  for (std::size_t at = 0; (at = statistics.find("cmdstat_z", at)) != std::string::npos; ++at) {
    seconds += std::strtod(statistics.c_str() + statistics.find("usec=", at) + 5, nullptr) * 1e-6;
  }
  return seconds;
}

double RedisMeasurement::each(const std::function<void(Pipeline&)>& make, const std::function<void()>& afterwards) {
  std::vector<double> outside;
  std::vector<double> inside;
  for (int i = 0; i < repetitions_; ++i) {
    Pipeline pipeline;
    make(pipeline);
    const Pipeline echoes = echoes_like(pipeline);
    server_.ask({"CONFIG", "RESETSTAT"});
    const double start = server_.cpu_seconds();
    server_.run(pipeline);
    const double middle = server_.cpu_seconds();
    inside.push_back(command_seconds() * 1e6 / kOperations);
    const double echo_start = server_.cpu_seconds();
    server_.run(echoes);
    const double echo_took = server_.cpu_seconds() - echo_start;
    outside.push_back((middle - start - echo_took) * 1e6 / kOperations);
    if (afterwards) afterwards();
  }
  std::printf("#   redis: CPU less ECHO %.2f us, commandstats %.2f us\n", median(outside), median(inside));
  return std::min(median(outside), median(inside));
}

void RedisMeasurement::updates(Pipeline& pipeline, std::size_t batch) {
  for (std::size_t i = 0; i < kOperations; i += batch) {
    pipeline.begin(2 + 2 * batch);
    pipeline.word("ZADD");
    pipeline.word(kKey);
    for (std::size_t k = 0; k < batch; ++k) {
      pipeline.word(score());
      pipeline.word(member());
    }
  }
}

void RedisMeasurement::ranks(Pipeline& pipeline) {
  while (pipeline.commands() < kOperations) pipeline.add({"ZRANK", kKey, member()});
}

/// A client asks for the rank and then for the places around it; the second finds the nodes in the cache.
void RedisMeasurement::arounds(Pipeline& pipeline) {
  std::vector<std::string> members(kOperations);
  Pipeline questions;
  for (std::string& each_member : members) {
    each_member = member();
    questions.add({"ZRANK", kKey, each_member});
  }
  const std::vector<std::int64_t> found = server_.run(questions);
  for (std::size_t i = 0; i < kOperations; ++i) {
    pipeline.add({"ZRANK", kKey, members[i]});
    const std::int64_t first = found[i] < 5 ? 0 : found[i] - 5;
    pipeline.add({"ZRANGE", kKey, std::to_string(first), std::to_string(found[i] + 5), "WITHSCORES"});
  }
}

void RedisMeasurement::pops(Pipeline& pipeline, std::size_t batch) {
  for (std::size_t i = 0; i < kOperations; i += batch) {
    if (batch == 1) {
      pipeline.add({"ZPOPMIN", kKey});
    } else {
      pipeline.add({"ZPOPMIN", kKey, std::to_string(batch)});
    }
  }
}

/// Brings the number of members back to what it was.
void RedisMeasurement::refill() {
  Pipeline pipeline;
  for (std::size_t i = 0; i < kOperations; ++i) pipeline.add({"ZADD", kKey, score(), member()});
  server_.run(pipeline);
}

double RedisMeasurement::used_memory() {
  const std::string memory = server_.ask({"INFO", "memory"});
  return std::strtod(memory.c_str() + memory.find("used_memory_rss:") + 16, nullptr);
}

}  // namespace

std::optional<Figures> measure_redis(const std::string& program, std::uint64_t members, int repetitions) {
  RedisServer server(program);
  if (!server.running()) return std::nullopt;
  RedisMeasurement measurement(server, members, repetitions);
  Figures figures;
  const double empty = measurement.used_memory();
  measurement.load();
  figures.insert = measurement.insert();
  figures.update = measurement.each([&](Pipeline& pipeline) { measurement.updates(pipeline, 1); });
  figures.update_batch = measurement.each([&](Pipeline& pipeline) { measurement.updates(pipeline, kBatch); });
  figures.bytes_per_member = (measurement.used_memory() - empty) / static_cast<double>(members);
  figures.rank = measurement.each([&](Pipeline& pipeline) { measurement.ranks(pipeline); });
  figures.rank_batch = figures.rank;  // it has no command for many ranks
  figures.around = measurement.each([&](Pipeline& pipeline) { measurement.arounds(pipeline); });
  const auto refill = [&] { measurement.refill(); };
  figures.pop_min = measurement.each([&](Pipeline& pipeline) { measurement.pops(pipeline, 1); }, refill);
  figures.pop_min_batch = measurement.each([&](Pipeline& pipeline) { measurement.pops(pipeline, kBatch); }, refill);
  return figures;
}

}  // namespace scoreline::bench
