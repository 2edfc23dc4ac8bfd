// bench_ingest_sqlite [ROWS] [BATCH] [FOLDER]: the ledger's append beside a bare SQLite loop that makes the same
// inserts.
//
// Both grow side by side, a lap of batches each in turn, so that whatever else the machine does falls on both. The
// ratio is the median over the laps of (bare time / ledger time). Ids in order of time go in five rounds of a fifth of
// the rows, each with new files: they are so cheap that where the file system puts the two growing logs decides a round
// (one of the two, either, at up to 1.8 times the other's speed). Run it on a real disk: on tmpfs a sync costs nothing.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "adapters/sqlite/sqlite_ledger.h"
#include "base/limits.h"
#include "figures.h"
#include "ingest/bare_loop.h"
#include "ingest/made_results.h"

namespace scoreline::bench {
namespace {

using leaderboards::Recorded;

struct Lap {
  std::size_t rows = 0;
  double bare_s = 0, ledger_s = 0;
};

struct Figures {
  std::vector<Lap> laps;
  std::vector<double> batch_ms;
  double scan_s = 0, verify_s = 0, open_s = 0;  // of the last round
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

/// Both run the next batches; returns how many rows the ledger took (a player may be drawn twice for one match).
std::uint64_t run_lap(MadeResults& results, std::size_t batch_rows, Lap& lap, BareLoop& bare,
                      sqlite::SqliteLedger& ledger, bool bare_first, std::vector<double>& batch_ms) {
  std::vector<std::vector<leaderboards::MatchResult>> batches;
  for (std::size_t done = 0; done < lap.rows; done += batches.back().size()) {
    batches.push_back(results.next(std::min(batch_rows, lap.rows - done)));
  }
  const auto run_bare = [&] {
    lap.bare_s = seconds([&] {
      for (const auto& batch : batches) bare.append(batch);
    });
  };
  std::uint64_t recorded = 0;
  if (bare_first) run_bare();
  for (const auto& batch : batches) {
    const double spent = seconds([&] {
      const auto answers = ledger.append(batch);
      if (!answers) give_up(answers.error());
      recorded += static_cast<std::uint64_t>(std::count(answers->begin(), answers->end(), Recorded::recorded));
    });
    batch_ms.push_back(1e3 * spent);
    lap.ledger_s += spent;
  }
  if (!bare_first) run_bare();
  return recorded;
}

void show(const Lap& part, std::size_t done) {
  fmt::print("{:>10} {:>14.0f} {:>14.0f} {:>8.2f}\n", done, static_cast<double>(part.rows) / part.bare_s,
             static_cast<double>(part.rows) / part.ledger_s, part.bare_s / part.ledger_s);
  std::fflush(stdout);
}

void run_round(Ids ids, std::size_t rows, std::size_t batch_rows, const std::filesystem::path& folder,
               Figures& figures) {
  constexpr std::size_t kLapBatches = 40, kLines = 10;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  MadeResults results(ids);
  BareLoop bare(folder);
  auto ledger = open_ledger(folder / "data");
  std::uint64_t recorded = 0;
  Lap shown;
  for (std::size_t done = 0; done < rows;) {
    Lap lap{std::min(rows - done, kLapBatches * batch_rows)};
    recorded += run_lap(results, batch_rows, lap, bare, *ledger, figures.laps.size() % 2 == 0, figures.batch_ms);
    figures.laps.push_back(lap);
    done += lap.rows;
    shown = {shown.rows + lap.rows, shown.bare_s + lap.bare_s, shown.ledger_s + lap.ledger_s};
    if (shown.rows < rows / kLines && done < rows) continue;
    show(std::exchange(shown, {}), done);
  }
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
}

/// The rates and the ratio as members of the closing line of JSON.
struct Summary {
  std::string rates, ratios;

  void add(std::string_view name, const Figures& f) {
    Lap all;
    std::vector<double> ratios_of_laps;
    for (const Lap& lap : f.laps) {
      all = {all.rows + lap.rows, all.bare_s + lap.bare_s, all.ledger_s + lap.ledger_s};
      ratios_of_laps.push_back(lap.bare_s / lap.ledger_s);
    }
    const double bare = static_cast<double>(all.rows) / all.bare_s,
                 ledger = static_cast<double>(all.rows) / all.ledger_s;
    const double ratio = percentile_of(ratios_of_laps, 0.5);
    fmt::print("all: bare {:.0f} rows/s, ledger {:.0f} rows/s, median ratio {:.3f}\n", bare, ledger, ratio);
    fmt::print("append p50 {:.1f} ms, p99 {:.1f} ms, max {:.0f} ms\n", percentile_of(f.batch_ms, 0.5),
               percentile_of(f.batch_ms, 0.99), percentile_of(f.batch_ms, 1));
    fmt::print("{:.1f} MB on disk, log {:.1f} MB; open {:.3f} s, scan with all checksums {:.2f} s, verify {:.2f} s\n\n",
               static_cast<double>(f.disk_bytes) / 1e6, static_cast<double>(f.wal_bytes) / 1e6, f.open_s, f.scan_s,
               f.verify_s);
    const char* comma = rates.empty() ? "" : ",";
    rates += fmt::format("{}\"bare_{}\":{:.0f},\"append_{}\":{:.0f}", comma, name, bare, name, ledger);
    ratios += fmt::format("{}\"append_{}\":{:.3f}", comma, name, ratio);
  }
};

}  // namespace
}  // namespace scoreline::bench

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  const auto rows = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1'000'000);
  const auto batch_rows = static_cast<std::size_t>(argc > 2 ? std::atol(argv[2]) : 500);
  const std::filesystem::path base = argc > 3 ? argv[3] : std::filesystem::path(argv[0]).parent_path();
  if (rows < 100 || batch_rows == 0 || batch_rows > scoreline::kMaxBatch) {
    std::fprintf(stderr, "usage: bench_ingest_sqlite [ROWS] [BATCH, at most %zu] [FOLDER]\n", scoreline::kMaxBatch);
    return 64;
  }
  Summary summary;
  for (const auto& [ids, name, rounds] : {std::tuple(Ids::v4, "v4", 1), std::tuple(Ids::v7, "v7", 5)}) {
    fmt::print("match ids {}, batches of {}\n{:>10} {:>14} {:>14} {:>8}\n", name, batch_rows, "rows", "bare rows/s",
               "ledger rows/s", "ratio");
    Figures figures;
    for (int round = 0; round < rounds; ++round) {
      run_round(ids, rows / static_cast<std::size_t>(rounds), batch_rows, base / "ingest-scratch", figures);
    }
    summary.add(name, figures);
  }
  fmt::print("{{\"bench\":\"ingest_ledger\",\"rows\":{},\"batch\":{},\"rows_per_second\":{{{}}},\"ratio\":{{{}}}}}\n",
             rows, batch_rows, summary.rates, summary.ratios);
}
