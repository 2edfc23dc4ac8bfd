#include "tree_side.h"

#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "ordered/rank_tree.h"

namespace scoreline::bench {
namespace {

using ordered::Direction;
using ordered::RankKey;
using ordered::RankTree;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double resident_bytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file == nullptr || std::fscanf(file, "%*u %lu", &pages) != 1) std::abort();
  std::fclose(file);
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE));
}

std::uint64_t checksum = 0;  // printed at the end, so that no work can be left out

/// Members and scores drawn beforehand, so that drawing them is not measured.
struct Draw {
  Draw(std::uint64_t members, std::size_t count, std::uint64_t seed) : ids(count), keys(count), views(count) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < count; ++i) {
      ids[i] = MemberId(random() % members);
      keys[i] = random_score(random).key();
      views[i] = ids[i].text();
    }
  }
  std::vector<MemberId> ids;
  std::vector<RankKey> keys;
  std::vector<std::string_view> views;
};

double small_board_bytes() {
  constexpr std::size_t kBoards = 100'000;
  std::mt19937_64 random(7);
  const double before = resident_bytes();
  std::vector<RankTree> boards;
  boards.reserve(kBoards);
  for (std::size_t i = 0; i < kBoards; ++i) {
    boards.emplace_back(1);
    while (boards.back().size() < 10)
      boards.back().upsert(MemberId(random() % 10'000'000).text(), random_score(random).key());
  }
  return (resident_bytes() - before) / kBoards;
}

double sorted_load_seconds(std::uint64_t members) {
  std::vector<std::pair<RankKey, MemberId>> stream(members);
  std::mt19937_64 random(3);
  for (std::uint64_t i = 0; i < members; ++i) stream[i] = {random_score(random).key(), MemberId(i)};
  std::sort(stream.begin(), stream.end(), [](const auto& a, const auto& b) {
    return a.first < b.first || (a.first == b.first && a.second.text() < b.second.text());
  });
  const double start = cpu_seconds();
  RankTree::Builder builder(1, members);
  for (const auto& [key, id] : stream) builder.add(id.text(), key);
  const RankTree tree = std::move(builder).finish();
  const double took = cpu_seconds() - start;
  checksum += tree.size();
  return took;
}

/// Sets a random score for each of `members`, in batches, in the order given.
void set_all(RankTree& tree, const std::vector<std::uint32_t>& members, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::array<MemberId, kBatch> ids;
  std::array<std::string_view, kBatch> views;
  for (std::size_t at = 0; at < members.size(); at += kBatch) {
    const std::size_t count = std::min(kBatch, members.size() - at);
    for (std::size_t i = 0; i < count; ++i) {
      ids[i] = MemberId(members[at + i]);
      views[i] = ids[i].text();
    }
    tree.modify(std::span(views).first(count), [&](std::size_t, std::optional<RankKey>) -> std::optional<RankKey> {
      return random_score(random).key();
    });
  }
}

class Measurement {
 public:
  Measurement(std::uint64_t members, int repetitions) : members_(members), repetitions_(repetitions) {}

  /// Microseconds an operation of `work`, which does all of a fresh draw; the median of some repetitions.
  double each(const std::function<void(const Draw&)>& work) {
    std::vector<double> took;
    for (int i = 0; i < repetitions_; ++i) {
      const Draw draw(members_, kOperations, ++seed_);
      const double start = cpu_seconds();
      work(draw);
      took.push_back((cpu_seconds() - start) * 1e6 / kOperations);
    }
    return median(took);
  }

  static constexpr std::size_t kOperations = 200'000 / kBatch * kBatch;

 private:
  std::uint64_t members_;
  int repetitions_;
  std::uint64_t seed_ = 100;
};

double pop_and_refill(RankTree& tree, int repetitions, std::size_t batch) {
  constexpr std::size_t kPops = 32'000;
  std::vector<double> took;
  std::mt19937_64 random(11);
  for (int i = 0; i < repetitions; ++i) {
    std::vector<std::string> popped;
    popped.reserve(kPops);
    const double start = cpu_seconds();
    for (std::size_t k = 0; k < kPops; k += batch) {
      tree.pop(batch, Direction::ascending, [&](std::string_view member, RankKey) { popped.emplace_back(member); });
    }
    took.push_back((cpu_seconds() - start) * 1e6 / kPops);
    for (const std::string& member : popped) tree.upsert(member, random_score(random).key());
  }
  return median(took);
}

}  // namespace

Figures measure_tree(std::uint64_t members, int repetitions) {
  Figures figures;
  figures.small_board_bytes = small_board_bytes();
  const std::vector<std::uint32_t> order = shuffled(members, 1);
  const double before = resident_bytes();
  RankTree tree(1);
  const double start = cpu_seconds();
  set_all(tree, order, 2);
  figures.insert = (cpu_seconds() - start) * 1e6 / static_cast<double>(members);
  set_all(tree, order, 3);  // churn: every member moves once
  set_all(tree, order, 4);  // and again
  figures.bytes_per_member = (resident_bytes() - before) / static_cast<double>(members);

  Measurement measurement(members, repetitions);
  figures.update = measurement.each([&](const Draw& draw) {
    for (std::size_t i = 0; i < draw.ids.size(); ++i) tree.upsert(draw.ids[i].text(), draw.keys[i]);
  });
  figures.rank = measurement.each([&](const Draw& draw) {
    for (const MemberId& id : draw.ids) checksum += *tree.rank_of(id.text());
  });
  figures.around = measurement.each([&](const Draw& draw) {
    for (const MemberId& id : draw.ids) {
      const std::uint64_t rank = *tree.rank_of(id.text());
      tree.visit(rank < 5 ? 0 : rank - 5, 11, Direction::ascending,
                 [](std::string_view member, RankKey key) { checksum += member.size() + key.low(); });
    }
  });
  figures.update_batch = measurement.each([&](const Draw& draw) {
    for (std::size_t at = 0; at < draw.ids.size(); at += kBatch) {
      tree.modify(std::span(draw.views).subspan(at, kBatch),
                  [&](std::size_t i, std::optional<RankKey>) { return std::optional(draw.keys[at + i]); });
    }
  });
  figures.rank_batch = measurement.each([&](const Draw& draw) {
    std::array<std::optional<std::uint64_t>, kBatch> ranks;
    for (std::size_t at = 0; at < draw.ids.size(); at += kBatch) {
      tree.ranks_of(std::span(draw.views).subspan(at, kBatch), ranks);
      for (const auto& rank : ranks) checksum += *rank;
    }
  });
  figures.pop_min = pop_and_refill(tree, repetitions, 1);
  figures.pop_min_batch = pop_and_refill(tree, repetitions, kBatch);
  tree.clear();
  figures.sorted_load_seconds = sorted_load_seconds(members);
  std::printf("# checksum %llu\n", static_cast<unsigned long long>(checksum));
  return figures;
}

}  // namespace scoreline::bench
