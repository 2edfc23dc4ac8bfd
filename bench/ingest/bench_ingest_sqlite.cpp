// bench_ingest_sqlite [ROWS] [BATCH] [FOLDER]: the ledger's append beside a bare SQLite loop that makes the same
// inserts.
//
// Both grow side by side, a slice of batches each in turn, so that whatever else the machine does falls on both. The
// ratio is the median over the slices of (bare time / ledger time). Run it on a real disk: on tmpfs a sync costs
// nothing.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "adapters/sqlite/sqlite_ledger.h"
#include "base/limits.h"
#include "ingest/bare_loop.h"
#include "ingest/made_results.h"

namespace scoreline::bench {
namespace {

using leaderboards::Recorded;
using Seconds = std::chrono::duration<double>;

template <typename Work>
double seconds(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return Seconds(std::chrono::steady_clock::now() - start).count();
}

double percentile_of(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Figures {
  double bare_rate = 0, ledger_rate = 0, ratio = 0;
  double batch_p50_ms = 0, batch_p99_ms = 0, batch_max_ms = 0;
  double scan_s = 0, verify_s = 0, open_s = 0;
  std::uintmax_t disk_bytes = 0, wal_bytes = 0;
};

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "bench_ingest_sqlite: %s\n", error.detail.c_str());
  std::exit(1);
}

std::unique_ptr<sqlite::SqliteLedger> open_ledger(const std::filesystem::path& folder) {
  auto ledger = sqlite::SqliteLedger::open(folder);
  if (!ledger) give_up(ledger.error());
  return std::move(*ledger);
}

Figures measure(Ids ids, std::size_t rows, std::size_t batch_rows, const std::filesystem::path& folder) {
  constexpr std::size_t kSliceBatches = 40;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  MadeResults results(ids);
  BareLoop bare(folder);
  auto ledger = open_ledger(folder / "data");
  std::vector<double> ratios, batch_times;
  double bare_time = 0, ledger_time = 0, bare_mark = 0, ledger_mark = 0;
  const std::size_t step = std::max<std::size_t>(rows / 10, 1);
  std::size_t mark = 0;
  std::uint64_t recorded = 0;  // a player may be drawn twice for one match
  for (std::size_t done = 0; done < rows;) {
    std::vector<std::vector<leaderboards::MatchResult>> slice;
    for (std::size_t i = 0; i < kSliceBatches && done < rows; ++i) {
      slice.push_back(results.next(std::min(batch_rows, rows - done)));
      done += slice.back().size();
    }
    const double bare_slice = seconds([&] {
      for (const auto& batch : slice) bare.append(batch);
    });
    double ledger_slice = 0;
    for (const auto& batch : slice) {
      batch_times.push_back(seconds([&] {
        const auto answers = ledger->append(batch);
        if (!answers) give_up(answers.error());
        recorded += static_cast<std::uint64_t>(std::count(answers->begin(), answers->end(), Recorded::recorded));
      }));
      ledger_slice += batch_times.back();
    }
    ratios.push_back(bare_slice / ledger_slice);
    bare_time += bare_slice;
    ledger_time += ledger_slice;
    if (done - mark >= step || done == rows) {
      const auto part = static_cast<double>(done - mark);
      fmt::print("{:>10} {:>14.0f} {:>14.0f} {:>8.2f}\n", done, part / (bare_time - bare_mark),
                 part / (ledger_time - ledger_mark), (bare_time - bare_mark) / (ledger_time - ledger_mark));
      std::fflush(stdout);
      mark = done, bare_mark = bare_time, ledger_mark = ledger_time;
    }
  }
  Figures figures;
  figures.bare_rate = static_cast<double>(rows) / bare_time;
  figures.ledger_rate = static_cast<double>(rows) / ledger_time;
  figures.ratio = percentile_of(ratios, 0.5);
  figures.batch_p50_ms = 1e3 * percentile_of(batch_times, 0.5);
  figures.batch_p99_ms = 1e3 * percentile_of(batch_times, 0.99);
  figures.batch_max_ms = 1e3 * percentile_of(batch_times, 1);
  figures.wal_bytes = std::filesystem::file_size(folder / "data/ledger.sqlite-wal");
  ledger.reset();
  figures.disk_bytes = std::filesystem::file_size(folder / "data/ledger.sqlite");
  figures.open_s = seconds([&] { ledger = open_ledger(folder / "data"); });
  std::uint64_t seen = 0;
  figures.scan_s = seconds([&] {
    const auto scanned = ledger->scan([&seen](const leaderboards::LedgerRow&) { ++seen; }, nullptr);
    if (!scanned) give_up(scanned.error());
  });
  SCORELINE_CHECK(seen == recorded);
  figures.verify_s = seconds([&] { SCORELINE_CHECK(ledger->verify(nullptr).value().findings.empty()); });
  ledger.reset();
  std::filesystem::remove_all(folder);
  return figures;
}

}  // namespace
}  // namespace scoreline::bench

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  const auto rows = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1'000'000);
  const auto batch_rows = static_cast<std::size_t>(argc > 2 ? std::atol(argv[2]) : 500);
  const std::filesystem::path base = argc > 3 ? argv[3] : std::filesystem::path(argv[0]).parent_path();
  if (rows == 0 || batch_rows == 0 || batch_rows > scoreline::kMaxBatch) {
    std::fprintf(stderr, "usage: bench_ingest_sqlite [ROWS] [BATCH, at most %zu] [FOLDER]\n", scoreline::kMaxBatch);
    return 64;
  }
  std::string rates, ratios;
  for (const auto& [ids, name] : {std::pair(Ids::v4, "v4"), std::pair(Ids::v7, "v7")}) {
    fmt::print("match ids {}, batches of {}\n{:>10} {:>14} {:>14} {:>8}\n", name, batch_rows, "rows", "bare rows/s",
               "ledger rows/s", "ratio");
    const Figures f = measure(ids, rows, batch_rows, base / "ingest-scratch");
    fmt::print("all: bare {:.0f} rows/s, ledger {:.0f} rows/s, median ratio {:.3f}\n", f.bare_rate, f.ledger_rate,
               f.ratio);
    fmt::print("append p50 {:.1f} ms, p99 {:.1f} ms, max {:.0f} ms; {:.1f} MB on disk, log {:.1f} MB\n", f.batch_p50_ms,
               f.batch_p99_ms, f.batch_max_ms, static_cast<double>(f.disk_bytes) / 1e6,
               static_cast<double>(f.wal_bytes) / 1e6);
    fmt::print("open {:.3f} s, scan with all checksums {:.2f} s, verify {:.2f} s\n\n", f.open_s, f.scan_s, f.verify_s);
    const char* comma = rates.empty() ? "" : ",";
    rates += fmt::format("{}\"bare_{}\":{:.0f},\"append_{}\":{:.0f}", comma, name, f.bare_rate, name, f.ledger_rate);
    ratios += fmt::format("{}\"append_{}\":{:.3f}", comma, name, f.ratio);
  }
  fmt::print("{{\"bench\":\"ingest_ledger\",\"rows\":{},\"batch\":{},\"rows_per_second\":{{{}}},\"ratio\":{{{}}}}}\n",
             rows, batch_rows, rates, ratios);
}
