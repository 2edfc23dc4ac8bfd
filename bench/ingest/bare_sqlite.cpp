// bare_sqlite BATCH v4|v7 PLAYERS_PER_MATCH FOLDER: inserts with nothing but SQLite, in laps.
//
// Reads the rows of each lap from standard input, one number a line, and answers with the seconds that the lap took.
// The database grows from lap to lap; the results of a lap are made before its clock starts.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "ingest/bare_loop.h"
#include "ingest/made_results.h"

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  using Clock = std::chrono::steady_clock;
  const long batch_rows = argc == 5 ? std::atol(argv[1]) : 0;
  const long players_per_match = argc == 5 ? std::atol(argv[3]) : 0;
  if (batch_rows < 1 || batch_rows > static_cast<long>(scoreline::kMaxBatch) || players_per_match < 1) {
    std::fprintf(stderr, "usage: bare_sqlite BATCH v4|v7 PLAYERS_PER_MATCH FOLDER, the rows of each lap on stdin\n");
    return 64;
  }
  MadeResults results(std::string_view(argv[2]) == "v7" ? Ids::v7 : Ids::v4,
                      static_cast<std::uint64_t>(players_per_match));
  BareLoop bare(argv[4]);
  for (std::size_t rows = 0; std::cin >> rows;) {
    std::vector<std::vector<scoreline::leaderboards::MatchResult>> batches;
    for (std::size_t made = 0; made < rows; made += batches.back().size()) {
      batches.push_back(results.next(std::min(static_cast<std::size_t>(batch_rows), rows - made)));
    }
    const auto start = Clock::now();
    for (const auto& batch : batches) bare.append(batch);
    std::printf("%.6f\n", std::chrono::duration<double>(Clock::now() - start).count());
    std::fflush(stdout);
  }
}
