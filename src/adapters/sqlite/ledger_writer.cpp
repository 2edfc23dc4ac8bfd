#include "adapters/sqlite/ledger_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include "adapters/sqlite/ledger_audit.h"
#include "adapters/sqlite/migrations.h"

namespace scoreline::sqlite {
namespace {

constexpr std::int64_t kApplicationId = 0x53434C4E;  // as migration 1 sets it

/// Whether closing the last connection moves the log into the database.
void checkpoint_on_close(Connection& connection, bool on) {
  sqlite3_db_config(connection.handle(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on ? 0 : 1, nullptr);
}

Result<void> set_up(Connection& connection, const Options& options) {
  const std::string pragmas = fmt::format(
      "PRAGMA page_size = {};"  // of a new database only
      "PRAGMA cache_size = -{};"
      "PRAGMA journal_size_limit = {};"
      "PRAGMA synchronous = {};",
      kPageBytes, options.cache_kib, options.checkpoint_pages * kPageBytes,
      options.sync == Sync::full ? "FULL" : "OFF");
  if (auto set = connection.run(pragmas.c_str()); !set) return set;
  auto mode = connection.prepare("PRAGMA journal_mode = WAL");
  if (!mode) return fail(mode.error());
  if (mode->step() != Step::row) return fail(connection.error("switching the ledger to its write-ahead log"));
  if (mode->bytes(0) != "wal")
    return fail(Code::storage_failed, "the file system of the data folder cannot share memory");
  return {};
}

/// A database of somebody else must not be taken for a damaged one of ours, nor written to.
Result<void> check_owner(Connection& connection) {
  const auto version = schema_version(connection);
  if (!version) return fail(version.error());
  const auto id = connection.integer("PRAGMA application_id");
  if (!id) return fail(id.error());
  if (*version != 0 && *id != kApplicationId) return fail(Code::damaged, "ledger.sqlite is not a ledger of Scoreline");
  return {};
}

}  // namespace

Result<std::unique_ptr<LedgerWriter>> LedgerWriter::open(const std::filesystem::path& folder, const Options& options) {
  auto witness = HeadWitness::open(folder / kHeadFile);
  if (!witness) return fail(witness.error());
  // An empty ledger in the place of a lost one would be the next start's truth.
  if (const auto last = witness->last(); last && last->seq > 0 && !std::filesystem::exists(folder / kLedgerFile)) {
    return fail(Code::damaged,
                fmt::format("committed batches are missing: ledger.head names batch {}, and there is no ledger.sqlite. "
                            "Restore a backup; to begin anew, delete ledger.head",
                            last->seq));
  }
  auto connection = Connection::open(folder / kLedgerFile, Access::read_write);
  if (!connection) return fail(connection.error());
  // A damaged log is evidence until it has been looked at: leave it as it is.
  checkpoint_on_close(*connection, false);
  if (auto set = set_up(*connection, options); !set) return fail(set.error());
  if (auto owned = check_owner(*connection); !owned) return fail(owned.error());
  std::unique_ptr<LedgerWriter> writer(new LedgerWriter(std::move(*connection), std::move(*witness), options));
  if (auto checked = writer->check_witness(); !checked) return fail(checked.error());
  if (auto migrated = migrate(writer->connection_); !migrated) return fail(migrated.error());
  if (auto prepared = writer->prepare(); !prepared) return fail(prepared.error());
  if (auto settled = writer->settle_log(folder); !settled) return fail(settled.error());
  // Not before the log is settled: until then the last batch may not be durable, and the witness would run ahead.
  writer->witness_.write_both(writer->head_);
  checkpoint_on_close(writer->connection_, true);
  return writer;
}

LedgerWriter::~LedgerWriter() {
  if (failed_) checkpoint_on_close(connection_, false);
}

Result<void> LedgerWriter::check_witness() {
  const auto version = schema_version(connection_);
  if (!version) return fail(version.error());
  if (*version > 0) {
    auto last = connection_.prepare("SELECT seq, chain FROM batches ORDER BY seq DESC LIMIT 1");
    if (!last) return fail(last.error());
    const Step step = last->step();
    if (step == Step::failed) return fail(connection_.error("reading the last batch"));
    if (step == Step::row) {
      head_ = {static_cast<std::uint64_t>(last->integer(0)), static_cast<std::uint64_t>(last->integer(1))};
    }
  }
  const auto witnessed = witness_.last();
  if (!witnessed) {
    witness_made_again_ = head_.seq > 0;
    return {};
  }
  return check_witnessed(connection_, *witnessed, head_);
}

Result<void> LedgerWriter::prepare() {
  const auto make = [this](Statement& statement, const char* sql) -> Result<void> {
    auto prepared = connection_.prepare(sql);
    if (!prepared) return fail(prepared.error());
    statement = std::move(*prepared);
    return {};
  };
  if (auto made = make(begin_, "BEGIN IMMEDIATE"); !made) return made;
  if (auto made = make(commit_, "COMMIT"); !made) return made;
  if (auto made = make(rollback_, "ROLLBACK"); !made) return made;
  return make(insert_batch_, "INSERT INTO batches(seq, kind, rows, rows_hash, chain) VALUES (?1, ?2, ?3, ?4, ?5)");
}

// After a killed process the log may hold commits that were written but never synced. They are in the ledger from now
// on (a duplicate of one will be answered as durable), so they are synced before anyone asks.
Result<void> LedgerWriter::settle_log(const std::filesystem::path& folder) {
  sqlite3_wal_hook(connection_.handle(), &LedgerWriter::on_commit, this);
  if (sqlite3_wal_checkpoint_v2(connection_.handle(), "main", SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr) ==
      SQLITE_OK) {
    return {};
  }
  const Failure failure = connection_.failure();
  if (trouble_of(failure) != Trouble::full && trouble_of(failure) != Trouble::busy) {
    return fail(to_error(failure, "moving the log into the ledger"));
  }
  // No room to move it, or somebody reads: the log itself is enough once it is synced, and reads can go on.
  const FileDescriptor log(::open((folder / "ledger.sqlite-wal").c_str(), O_RDONLY | O_CLOEXEC));
  if (!log.is_open() || ::fdatasync(log.get()) != 0) return fail(to_error(failure, "syncing the log of the ledger"));
  return {};
}

Result<void> LedgerWriter::begin() {
  if (failed_) return fail(Code::storage_failed, failure());
  if (!begin_.run()) return fail(abandon("beginning a change"));
  return {};
}

Result<void> LedgerWriter::commit(std::string_view kind, const Delta& delta) {
  const Head sealed = seal(head_, kind, delta);
  insert_batch_.bind(1, static_cast<std::int64_t>(sealed.seq))
      .bind(2, kind)
      .bind(3, delta.rows)
      .bind(4, static_cast<std::int64_t>(delta.rows_hash))
      .bind(5, static_cast<std::int64_t>(sealed.chain));
  if (!insert_batch_.run()) return fail(abandon("sealing a change"));
  if (!commit_.run()) return fail(commit_failed());
  head_ = sealed;
  witness_.write(head_);
  checkpoint_if_due();
  return {};
}

Result<void> LedgerWriter::commit_unsealed() {
  if (!commit_.run()) return fail(commit_failed());
  checkpoint_if_due();
  return {};
}

// The sync of a later commit covers all of the log before it; a checkpoint syncs the log first in either mode.
Result<void> LedgerWriter::unsynced(const std::function<Result<void>()>& change) {
  if (options_.sync != Sync::full) return change();
  if (auto relaxed = connection_.run("PRAGMA synchronous = NORMAL"); !relaxed) return relaxed;
  auto changed = change();
  if (const auto set = connection_.run("PRAGMA synchronous = FULL"); !set) {
    stop_writing(connection_.failure(), "having commits synced again");
    return set;
  }
  return changed;
}

Error LedgerWriter::abandon(std::string_view doing) {
  const Failure failure = connection_.failure();
  const Trouble trouble = trouble_of(failure);
  rollback();
  if (trouble == Trouble::io || trouble == Trouble::damaged) stop_writing(failure, doing);
  Error error = to_error(failure, doing);
  if (error.code == Code::damaged) error.code = Code::storage_failed;
  return error;
}

Error LedgerWriter::commit_failed() {
  const Failure failure = connection_.failure();
  rollback();
  const Trouble trouble = trouble_of(failure);
  // The commit mark is the last thing written to the log: without room for it there is no commit.
  if (trouble == Trouble::full || trouble == Trouble::busy) return to_error(failure, "committing");
  stop_writing(failure, "committing");
  return Error{
      Code::unknown_outcome,
      fmt::format("the commit failed half way ({}): the batch may be there after a restart; send it again then",
                  failure.message),
      {},
      std::nullopt};
}

void LedgerWriter::rollback() {
  if (sqlite3_get_autocommit(connection_.handle()) == 0) static_cast<void>(rollback_.run());
}

// PASSIVE never waits: pages that a reader still needs stay in the log until a later call. Once all are moved the log
// starts again from its beginning, and is cut to journal_size_limit.
void LedgerWriter::checkpoint_if_due() {
  if (wal_pages_ < options_.checkpoint_pages) return;
  if (sqlite3_wal_checkpoint_v2(connection_.handle(), "main", SQLITE_CHECKPOINT_PASSIVE, nullptr, nullptr) ==
      SQLITE_OK) {
    return;
  }
  const Failure failure = connection_.failure();
  const Trouble trouble = trouble_of(failure);
  // Without room the log holds everything still; the next commit tries again.
  if (trouble == Trouble::io || trouble == Trouble::damaged) stop_writing(failure, "moving the log into the ledger");
}

void LedgerWriter::stop_writing(const Failure& failure, std::string_view doing) {
  const std::lock_guard lock(failure_mutex_);
  failure_ = fmt::format("the ledger takes no more writes until a restart: {} failed: {} (SQLite {}, errno {})", doing,
                         failure.message, failure.code, failure.system_error);
  failed_ = true;
}

std::string LedgerWriter::failure() const {
  const std::lock_guard lock(failure_mutex_);
  return failure_;
}

int LedgerWriter::on_commit(void* writer, sqlite3* /*database*/, const char* /*name*/, int pages) {
  static_cast<LedgerWriter*>(writer)->wal_pages_.store(static_cast<std::uint64_t>(pages), std::memory_order_relaxed);
  return SQLITE_OK;
}

}  // namespace scoreline::sqlite
