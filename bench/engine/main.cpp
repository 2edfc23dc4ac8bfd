// bench_engine [--members N] [--repetitions R] [--redis PROGRAM]: the ordered set beside a real Redis, same run.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

#include "redis_side.h"
#include "tree_side.h"

namespace scoreline::bench {
namespace {

struct Options {
  std::uint64_t members = 1'000'000;
  int repetitions = 5;
  std::string redis = "redis-server";
};

template <typename Number>
bool read(const char* text, Number& to) {
  const char* const end = text + std::strlen(text);
  return std::from_chars(text, end, to).ptr == end && to > 0;
}

bool parse(int argc, char** argv, Options& options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string name = argv[i];
    if (i + 1 == argc) return false;
    const bool good = name == "--members"       ? read(argv[i + 1], options.members)
                      : name == "--repetitions" ? read(argv[i + 1], options.repetitions)
                      : name == "--redis"       ? !(options.redis = argv[i + 1]).empty()
                                                : false;
    if (!good) return false;
  }
  return options.members >= 100'000 && options.members <= 100'000'000;
}

void row(const char* name, double redis, double ours) {
  std::printf("%-34s %10.2f %10.3f %9.1fx\n", name, redis, ours, redis / ours);
}

void print(const Options& options, const Figures& redis, const Figures& ours) {
  std::printf("\n%-34s %10s %10s %10s\n", "CPU us an operation", "redis", "scoreline", "ratio");
  row("insert, building up", redis.insert, ours.insert);
  row("update to a random score", redis.update, ours.update);
  row("update, 32 together", redis.update_batch, ours.update_batch);
  row("rank of a member", redis.rank, ours.rank);
  row("rank, 32 together", redis.rank_batch, ours.rank_batch);
  row("around +-5", redis.around, ours.around);
  row("pop min", redis.pop_min, ours.pop_min);
  row("pop min, 32 together", redis.pop_min_batch, ours.pop_min_batch);
  std::printf("%-34s %10.1f %10.2f %9.1fx\n", "bytes a member, RSS after churn", redis.bytes_per_member,
              ours.bytes_per_member, redis.bytes_per_member / ours.bytes_per_member);
  std::printf("%-34s %10s %10.1f\n", "bytes of a board of 10, RSS", "", ours.small_board_bytes);
  std::printf("%-34s %10s %10.2f\n", "seconds, load of a sorted stream", "", ours.sorted_load_seconds);
  std::printf(
      "{\"bench\":\"engine\",\"members\":%llu,\"ratio\":{\"update\":%.1f,\"rank\":%.1f,\"around\":%.1f,"
      "\"update_batch\":%.1f,\"rank_batch\":%.1f,\"pop_min\":%.1f,\"pop_min_batch\":%.1f},"
      "\"bytes_per_member\":%.1f,\"small_board_bytes\":%.1f,\"sorted_load_seconds\":%.2f}\n",
      static_cast<unsigned long long>(options.members), redis.update / ours.update, redis.rank / ours.rank,
      redis.around / ours.around, redis.update_batch / ours.update_batch, redis.rank_batch / ours.rank_batch,
      redis.pop_min / ours.pop_min, redis.pop_min_batch / ours.pop_min_batch, ours.bytes_per_member,
      ours.small_board_bytes, ours.sorted_load_seconds);
}

}  // namespace
}  // namespace scoreline::bench

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr, "usage: bench_engine [--members 100000..100000000] [--repetitions R] [--redis PROGRAM]\n");
    return 2;
  }
  const Figures ours = measure_tree(options.members, options.repetitions);
  const auto redis = measure_redis(options.redis, options.members, options.repetitions);
  if (!redis) {
    std::fprintf(stderr, "bench_engine: cannot start %s\n", options.redis.c_str());
    return 1;
  }
  print(options, *redis, ours);
  return 0;
}
