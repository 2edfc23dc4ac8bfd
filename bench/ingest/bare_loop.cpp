#include "ingest/bare_loop.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "adapters/sqlite/migrations.h"
#include "adapters/sqlite/options.h"

namespace scoreline::bench {

BareLoop::BareLoop(const std::filesystem::path& folder) {
  const std::string file = (folder / "bare.sqlite").string();
  if (sqlite3_open_v2(file.c_str(), &database_, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
                      nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "cannot open %s\n", file.c_str());
    std::exit(1);
  }
  const sqlite::Options options;
  run(fmt::format(
          "PRAGMA page_size = {}; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -{};"
          "PRAGMA wal_autocheckpoint = {}; PRAGMA journal_size_limit = {};",
          sqlite::kPageBytes, options.cache_kib, options.checkpoint_pages,
          options.checkpoint_pages * sqlite::kPageBytes)
          .c_str());
  for (const auto& migration : sqlite::migrations()) run(std::string(migration.sql).c_str());
  sqlite3_prepare_v3(database_, "INSERT INTO match_results VALUES (?, ?, ?, ?, ?, ?, ?, 0, 0) ON CONFLICT DO NOTHING",
                     -1, SQLITE_PREPARE_PERSISTENT, &insert_, nullptr);
}

BareLoop::~BareLoop() {
  sqlite3_finalize(insert_);
  sqlite3_close(database_);
}

void BareLoop::append(std::span<const leaderboards::MatchResult> batch) {
  ++batches_;
  run("BEGIN IMMEDIATE");
  for (const auto& result : batch) {
    const std::string& leaderboard = result.leaderboard.text();
    const std::string& player = result.player.text();
    sqlite3_bind_text(insert_, 1, leaderboard.data(), static_cast<int>(leaderboard.size()), SQLITE_STATIC);
    sqlite3_bind_blob(insert_, 2, result.match_id.bytes.data(), 16, SQLITE_STATIC);
    sqlite3_bind_text(insert_, 3, player.data(), static_cast<int>(player.size()), SQLITE_STATIC);
    sqlite3_bind_int64(insert_, 4, result.season.value);
    sqlite3_bind_int64(insert_, 5, result.points);
    sqlite3_bind_int64(insert_, 6, result.achieved_at.ms);
    sqlite3_bind_int64(insert_, 7, batches_);
    if (sqlite3_step(insert_) != SQLITE_DONE) run("insert of a result failed");
    sqlite3_reset(insert_);
  }
  run("COMMIT");
}

void BareLoop::run(const char* sql) {
  if (sqlite3_exec(database_, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return;
  std::fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(database_));
  std::exit(1);
}

}  // namespace scoreline::bench
