// bare_sqlite ROWS BATCH v4|v7 FOLDER: inserts with nothing but SQLite, and prints rows a second.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "ingest/bare_loop.h"
#include "ingest/made_results.h"

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  using Clock = std::chrono::steady_clock;
  if (argc != 5 || std::atol(argv[1]) <= 0 || std::atol(argv[2]) <= 0) {
    std::fprintf(stderr, "usage: bare_sqlite ROWS BATCH v4|v7 FOLDER\n");
    return 64;
  }
  const auto rows = static_cast<std::size_t>(std::atol(argv[1]));
  const auto batch_rows = static_cast<std::size_t>(std::atol(argv[2]));
  MadeResults results(std::string_view(argv[3]) == "v7" ? Ids::v7 : Ids::v4);
  BareLoop bare(argv[4]);
  Clock::duration spent{};
  std::size_t done = 0;
  while (done < rows) {
    const auto batch = results.next(std::min(batch_rows, rows - done));
    const auto start = Clock::now();
    bare.append(batch);
    spent += Clock::now() - start;
    done += batch.size();
  }
  std::printf("%.0f\n", static_cast<double>(rows) / std::chrono::duration<double>(spent).count());
}
