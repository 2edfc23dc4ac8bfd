// bench_postgres [ROWS] [BATCH]: the ledger's append beside a bare libpq loop that makes the same inserts, on a server
// of its own in the folder for temporary files (on a real disk, please: on tmpfs a sync costs nothing).
//
// Both grow side by side, each in its own table, a lap of batches each in turn, so that whatever else the machine and
// the server do falls on both. The ratio is the median over the laps of (bare time / ledger time).
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "adapters/postgres/postgres_ledger.h"
#include "base/limits.h"
#include "figures.h"
#include "ingest/made_results.h"
#include "postgres/bare_unnest.h"
#include "support/postgres_server.h"

namespace scoreline::bench {
namespace {

constexpr std::size_t kLapBatches = 20;

[[noreturn]] void give_up(const Error& error) {
  std::fprintf(stderr, "bench_postgres: %s\n", error.detail.c_str());
  std::exit(1);
}

struct Figures {
  double bare_s = 0, ledger_s = 0, scan_s = 0, scan_since_s = 0;
  std::vector<double> ratios, batch_ms;
};

/// Both append the next batches.
void run_lap(MadeResults& results, std::size_t rows, std::size_t batch_rows, BareUnnest& bare,
             postgres::PostgresLedger& ledger, Figures& figures) {
  std::vector<std::vector<leaderboards::MatchResult>> batches;
  for (std::size_t done = 0; done < rows; done += batches.back().size()) {
    batches.push_back(results.next(std::min(batch_rows, rows - done)));
  }
  double bare_s = 0, ledger_s = 0;
  const auto run_bare = [&] {
    for (const auto& batch : batches) bare_s += seconds([&] { bare.append(batch); });
  };
  const bool bare_first = figures.ratios.size() % 2 == 0;
  if (bare_first) run_bare();
  for (const auto& batch : batches) {
    const double spent = seconds([&] {
      if (const auto answers = ledger.append(batch); !answers) give_up(answers.error());
    });
    figures.batch_ms.push_back(1e3 * spent);
    ledger_s += spent;
  }
  if (!bare_first) run_bare();
  figures.bare_s += bare_s;
  figures.ledger_s += ledger_s;
  figures.ratios.push_back(bare_s / ledger_s);
}

Figures run(const test::PostgresServer& server, Ids ids, std::size_t rows, std::size_t batch_rows) {
  SystemClock clock;
  SeededRandom random(system_seed());
  const auto open = [&](const std::string& url) {
    auto ledger = postgres::PostgresLedger::open(url, {}, clock, random);
    if (!ledger) give_up(ledger.error());
    return std::move(*ledger);
  };
  const auto ledger = open(test::new_schema_url(server));
  const std::string bare_url = test::new_schema_url(server);
  open(bare_url);  // makes the tables
  BareUnnest bare(bare_url);

  MadeResults results(ids);
  Figures figures;
  postgres::Watermark mark;
  for (std::size_t done = 0; done < rows;) {
    const std::size_t lap = std::min(rows - done, kLapBatches * batch_rows);
    if (done + lap == rows) mark = ledger->watermark().value();
    run_lap(results, lap, batch_rows, bare, *ledger, figures);
    done += lap;
  }
  std::size_t seen = 0;
  const auto visit = [&seen](const leaderboards::LedgerRow&) { ++seen; };
  figures.scan_s = seconds([&] {
    if (const auto scanned = ledger->scan(visit, nullptr); !scanned) give_up(scanned.error());
  });
  figures.scan_since_s = seconds([&] {
    if (const auto scanned = ledger->scan_since(mark, visit); !scanned) give_up(scanned.error());
  });
  return figures;
}

}  // namespace
}  // namespace scoreline::bench

int main(int argc, char** argv) {
  using namespace scoreline::bench;
  const auto rows = static_cast<std::size_t>(argc > 1 ? std::atol(argv[1]) : 1'000'000);
  const auto batch_rows = static_cast<std::size_t>(argc > 2 ? std::atol(argv[2]) : 1'000);
  if (rows < 100 || batch_rows == 0 || batch_rows > scoreline::kMaxBatch) {
    std::fprintf(stderr, "usage: bench_postgres [ROWS] [BATCH, at most %zu]\n", scoreline::kMaxBatch);
    return 64;
  }
  const scoreline::test::PostgresServer server({"max_wal_size=2GB"});
  std::string rates, ratios;
  for (const auto& [ids, name] : {std::pair(Ids::v7, "v7"), std::pair(Ids::v4, "v4")}) {
    const Figures f = run(server, ids, rows, batch_rows);
    const double bare = static_cast<double>(rows) / f.bare_s, ledger = static_cast<double>(rows) / f.ledger_s;
    const double ratio = percentile_of(f.ratios, 0.5);
    fmt::print(
        "match ids {}, {} rows in batches of {}: bare {:.0f} rows/s, ledger {:.0f} rows/s, median ratio {:.3f}\n", name,
        rows, batch_rows, bare, ledger, ratio);
    fmt::print("append p50 {:.1f} ms, p99 {:.1f} ms; scan {:.2f} s, scan of the last lap {:.3f} s\n",
               percentile_of(f.batch_ms, 0.5), percentile_of(f.batch_ms, 0.99), f.scan_s, f.scan_since_s);
    std::fflush(stdout);
    const char* comma = rates.empty() ? "" : ",";
    rates += fmt::format("{}\"bare_{}\":{:.0f},\"append_{}\":{:.0f}", comma, name, bare, name, ledger);
    ratios += fmt::format("{}\"append_{}\":{:.3f}", comma, name, ratio);
  }
  fmt::print("{{\"bench\":\"postgres\",\"rows\":{},\"batch\":{},\"rows_per_second\":{{{}}},\"ratio\":{{{}}}}}\n", rows,
             batch_rows, rates, ratios);
}
