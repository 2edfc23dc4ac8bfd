#include "adapters/sqlite/sqlite_dead_letters.h"

#include <string>
#include <utility>

#include "base/limits.h"

namespace scoreline::sqlite {

using ingest::DeadLetter;
using ingest::DeadLetterId;
using ingest::RefusedAgain;
using ingest::StoredDeadLetter;

namespace {

constexpr std::string_view kList =
    "SELECT id, topic, partition, \"offset\", sent_at, added_at, value, size, code, detail, field FROM dead_letters "
    "WHERE id > ?1 ORDER BY id LIMIT ?2";
constexpr std::string_view kFind =
    "SELECT id, topic, partition, \"offset\", sent_at, added_at, value, size, code, detail, field FROM dead_letters "
    "WHERE id = ?1 LIMIT ?2";

StoredDeadLetter read_letter(const Statement& row) {
  const auto has = [&row](int column) { return row.type(column) != Statement::Type::null; };
  StoredDeadLetter stored;
  stored.id = row.integer(0);
  ingest::Message& message = stored.letter.message;
  message.from = {std::string(row.bytes(1)), static_cast<std::int32_t>(row.integer(2))};
  message.offset = row.integer(3);
  if (has(4)) message.sent_at = Timestamp{row.integer(4)};
  stored.added_at = Timestamp{row.integer(5)};
  if (has(6)) message.value = std::string(row.bytes(6));
  stored.letter.size = static_cast<std::uint64_t>(row.integer(7));
  stored.letter.reason = {
      parse_code(row.bytes(8)).value_or(Code::internal), std::string(row.bytes(9)), std::string(row.bytes(10)), {}};
  return stored;
}

std::span<const std::uint8_t> blob_of(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace

template <typename Work>
Result<std::uint64_t> SqliteDeadLetters::change(std::string_view sql, Work work) {
  if (auto begun = writer_.begin(); !begun) return fail(begun.error());
  auto statement = writer_.connection().prepare(sql);
  if (!statement) return fail(writer_.abandon("preparing a change of dead letters"));
  std::uint64_t changed = 0;
  if (!work(*statement, changed)) return fail(writer_.abandon("changing dead letters"));
  if (changed == 0) {
    writer_.rollback();
    return changed;
  }
  if (auto committed = writer_.commit_unsealed(); !committed) return fail(committed.error());
  return changed;
}

Result<std::uint64_t> SqliteDeadLetters::add(std::span<const DeadLetter> letters, Timestamp now) {
  SCORELINE_CHECK(!letters.empty() && letters.size() <= kMaxBatch);
  constexpr std::string_view kInsert =
      "INSERT INTO dead_letters(topic, partition, \"offset\", sent_at, added_at, value, size, code, detail, field) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT DO NOTHING";
  return change(kInsert, [&](Statement& insert, std::uint64_t& added) {
    for (const auto& [message, size, reason] : letters) {
      const Error kept = ingest::kept_reason(reason);
      insert.bind(1, message.from.topic).bind(2, std::int64_t{message.from.partition}).bind(3, message.offset);
      message.sent_at ? insert.bind(4, message.sent_at->ms) : insert.bind_null(4);
      insert.bind(5, now.ms);
      message.value ? insert.bind(6, blob_of(*message.value)) : insert.bind_null(6);
      insert.bind(7, static_cast<std::int64_t>(size))
          .bind(8, traits(kept.code).name)
          .bind(9, kept.detail)
          .bind(10, kept.field);
      if (!insert.run()) return false;
      added += static_cast<std::uint64_t>(writer_.connection().changes());
    }
    return true;
  });
}

Result<void> SqliteDeadLetters::refuse_again(std::span<const RefusedAgain> letters) {
  SCORELINE_CHECK(letters.size() <= kMaxBatch);
  constexpr std::string_view kUpdate = "UPDATE dead_letters SET code = ?2, detail = ?3, field = ?4 WHERE id = ?1";
  return change(kUpdate,
                [&](Statement& update, std::uint64_t& changed) {
                  for (const auto& [id, reason] : letters) {
                    const Error kept = ingest::kept_reason(reason);
                    update.bind(1, id).bind(2, traits(kept.code).name).bind(3, kept.detail).bind(4, kept.field);
                    if (!update.run()) return false;
                    changed += static_cast<std::uint64_t>(writer_.connection().changes());
                  }
                  return true;
                })
      .map([](std::uint64_t) {});
}

Result<std::uint64_t> SqliteDeadLetters::remove(std::span<const DeadLetterId> ids) {
  SCORELINE_CHECK(ids.size() <= kMaxBatch);
  return change("DELETE FROM dead_letters WHERE id = ?1", [&](Statement& remove, std::uint64_t& removed) {
    for (const DeadLetterId id : ids) {
      remove.bind(1, id);
      if (!remove.run()) return false;
      removed += static_cast<std::uint64_t>(writer_.connection().changes());
    }
    return true;
  });
}

Result<std::vector<StoredDeadLetter>> SqliteDeadLetters::read(std::string_view sql, std::int64_t id,
                                                              std::size_t limit) const {
  const std::lock_guard lock(mutex_);
  auto rows = reader_.prepare(sql);
  if (!rows) return fail(rows.error());
  rows->bind(1, id).bind(2, static_cast<std::int64_t>(limit));
  std::vector<StoredDeadLetter> letters;
  Step step;
  while ((step = rows->step()) == Step::row) letters.push_back(read_letter(*rows));
  if (step == Step::failed) return fail(reader_.error("reading dead letters"));
  return letters;
}

Result<std::vector<StoredDeadLetter>> SqliteDeadLetters::list(DeadLetterId after, std::size_t limit) const {
  SCORELINE_CHECK(limit >= 1 && limit <= kMaxEntries);
  return read(kList, after, limit);
}

Result<std::optional<StoredDeadLetter>> SqliteDeadLetters::find(DeadLetterId id) const {
  auto found = read(kFind, id, 1);
  if (!found) return fail(std::move(found).error());
  return found->empty() ? std::nullopt : std::optional(std::move(found->front()));
}

Result<std::uint64_t> SqliteDeadLetters::count() const {
  const std::lock_guard lock(mutex_);
  return reader_.integer("SELECT count(*) FROM dead_letters").map([](std::int64_t letters) {
    return static_cast<std::uint64_t>(letters);
  });
}

}  // namespace scoreline::sqlite
