#include "adapters/postgres/postgres_dead_letters.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/limits.h"

namespace scoreline::postgres {

using ingest::DeadLetter;
using ingest::DeadLetterId;
using ingest::RefusedAgain;
using ingest::StoredDeadLetter;

namespace {

// What is sent at once: little enough for the deadline of one call.
constexpr std::size_t kMaxRows = 1'000;
constexpr std::size_t kMaxBytes = 1024 * 1024;

constexpr Statement kInsert{
    "add_dead_letters",
    "INSERT INTO dead_letters(topic, partition, \"offset\", sent_at, added_at, value, size, code, detail, field) "
    "SELECT topic, partition, \"offset\", sent_at, $10::timestamptz, value, size, code, detail, field "
    "FROM unnest($1::text[], $2::integer[], $3::bigint[], $4::bigint[], $5::bytea[], $6::bigint[], $7::text[], "
    "$8::text[], $9::text[]) "
    "AS letter(topic, partition, \"offset\", sent_at, value, size, code, detail, field) ON CONFLICT DO NOTHING"};
constexpr Statement kList{
    "dead_letters",
    "SELECT id, topic, partition, \"offset\", sent_at, added_at, value, size, code, detail, field FROM dead_letters "
    "WHERE id > $1::bigint ORDER BY id LIMIT $2::bigint"};
constexpr Statement kFind{
    "dead_letter",
    "SELECT id, topic, partition, \"offset\", sent_at, added_at, value, size, code, detail, field FROM dead_letters "
    "WHERE id = $1::bigint"};
constexpr Statement kCount{"count_dead_letters", "SELECT count(*) FROM dead_letters"};
// Both lock in the order of ids: two nodes that replay the same letters never wait for each other in turn.
constexpr Statement kRefuseAgain{
    "refuse_dead_letters",
    "UPDATE dead_letters SET code = refused.code, detail = refused.detail, field = refused.field FROM "
    "(SELECT letter.id, again.code, again.detail, again.field FROM dead_letters letter "
    "JOIN unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS again(id, code, detail, field) USING (id) "
    "ORDER BY letter.id FOR UPDATE OF letter) refused WHERE dead_letters.id = refused.id"};
constexpr Statement kRemove{"remove_dead_letters",
                            "DELETE FROM dead_letters WHERE id IN "
                            "(SELECT id FROM dead_letters WHERE id = ANY($1::bigint[]) ORDER BY id FOR UPDATE)"};

/// In the order of their keys: two nodes that add the same meet in the same order, so neither waits for the other in
/// turn (no deadlock).
std::vector<const DeadLetter*> by_key(std::span<const DeadLetter> letters) {
  std::vector<const DeadLetter*> sorted;
  sorted.reserve(letters.size());
  for (const DeadLetter& letter : letters) sorted.push_back(&letter);
  const auto key = [](const DeadLetter* letter) {
    return std::tie(letter->message.from, letter->message.offset, letter->message.sent_at);
  };
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const DeadLetter* a, const DeadLetter* b) { return key(a) < key(b); });
  return sorted;
}

Call insert_call(std::span<const DeadLetter* const> letters, Timestamp now) {
  const std::size_t rows = letters.size();
  Array topics(Type::text, rows), partitions(Type::int4, rows), offsets(Type::int8, rows), times(Type::int8, rows),
      values(Type::bytea, rows), sizes(Type::int8, rows), codes(Type::text, rows), details(Type::text, rows),
      fields(Type::text, rows);
  for (const DeadLetter* const letter : letters) {
    const auto& [message, size, reason] = *letter;
    const Error kept = ingest::kept_reason(reason);
    topics.add(std::string_view(message.from.topic));
    partitions.add(message.from.partition);
    offsets.add(message.offset);
    message.sent_at ? times.add(message.sent_at->ms) : times.add_null();
    message.value ? values.add(std::string_view(*message.value)) : values.add_null();
    sizes.add(static_cast<std::int64_t>(size));
    codes.add(traits(kept.code).name);
    details.add(std::string_view(kept.detail));
    fields.add(std::string_view(kept.field));
  }
  Call call{&kInsert, {}};
  for (Array* array : {&topics, &partitions, &offsets, &times, &values, &sizes, &codes, &details, &fields}) {
    call.parameters.add(std::move(*array));
  }
  call.parameters.add(now);
  return call;
}

/// How many of the first letters are sent at once.
std::size_t first_part(std::span<const DeadLetter* const> letters) {
  std::size_t bytes = 0, count = 0;
  while (count < std::min(letters.size(), kMaxRows)) {
    const auto& value = letters[count]->message.value;
    bytes += value ? value->size() : 0;
    if (count > 0 && bytes > kMaxBytes) break;
    ++count;
  }
  return count;
}

StoredDeadLetter read_letter(const Rows& rows, int row) {
  StoredDeadLetter stored;
  stored.id = rows.integer(row, 0);
  ingest::Message& message = stored.letter.message;
  message.from = {std::string(rows.bytes(row, 1)), static_cast<std::int32_t>(rows.integer(row, 2))};
  message.offset = rows.integer(row, 3);
  if (!rows.is_null(row, 4)) message.sent_at = Timestamp{rows.integer(row, 4)};
  stored.added_at = rows.time(row, 5);
  if (!rows.is_null(row, 6)) message.value = std::string(rows.bytes(row, 6));
  stored.letter.size = static_cast<std::uint64_t>(rows.integer(row, 7));
  stored.letter.reason = {parse_code(rows.bytes(row, 8)).value_or(Code::internal),
                          std::string(rows.bytes(row, 9)),
                          std::string(rows.bytes(row, 10)),
                          {}};
  return stored;
}

}  // namespace

Result<std::uint64_t> PostgresDeadLetters::change(std::string_view doing, const Call& call) {
  const auto rows = ledger_.write(std::span(&call, 1), ledger_.options_.timeout);
  if (!rows) return fail(to_error(rows.error(), doing));
  return static_cast<std::uint64_t>(rows->front().affected());
}

Result<std::uint64_t> PostgresDeadLetters::add(std::span<const DeadLetter> letters, Timestamp now) {
  SCORELINE_CHECK(!letters.empty() && letters.size() <= kMaxBatch);
  const std::vector<const DeadLetter*> sorted = by_key(letters);
  std::span<const DeadLetter* const> left = sorted;
  std::uint64_t added = 0;
  while (!left.empty()) {
    const std::size_t part = first_part(left);
    const auto inserted = change("keeping dead letters", insert_call(left.first(part), now));
    if (!inserted) return inserted;
    added += *inserted;
    left = left.subspan(part);
  }
  return added;
}

Result<std::vector<StoredDeadLetter>> PostgresDeadLetters::list(DeadLetterId after, std::size_t limit) const {
  SCORELINE_CHECK(limit >= 1 && limit <= kMaxEntries);
  Call call{&kList, {}};
  call.parameters.add(after).add(static_cast<std::int64_t>(limit));
  const auto rows = ledger_.read("reading dead letters", std::move(call));
  if (!rows) return fail(rows.error());
  std::vector<StoredDeadLetter> letters;
  for (int row = 0; row < rows->size(); ++row) letters.push_back(read_letter(*rows, row));
  return letters;
}

Result<std::optional<StoredDeadLetter>> PostgresDeadLetters::find(DeadLetterId id) const {
  Call call{&kFind, {}};
  call.parameters.add(id);
  const auto rows = ledger_.read("reading a dead letter", std::move(call));
  if (!rows) return fail(rows.error());
  return rows->size() == 0 ? std::nullopt : std::optional(read_letter(*rows, 0));
}

Result<std::uint64_t> PostgresDeadLetters::count() const {
  return ledger_.read("counting dead letters", {&kCount, {}}).map([](const Rows& rows) {
    return static_cast<std::uint64_t>(rows.integer(0, 0));
  });
}

Result<void> PostgresDeadLetters::refuse_again(std::span<const RefusedAgain> letters) {
  SCORELINE_CHECK(letters.size() <= kMaxBatch);
  Array ids(Type::int8, letters.size()), codes(Type::text, letters.size()), details(Type::text, letters.size()),
      fields(Type::text, letters.size());
  for (const auto& [id, reason] : letters) {
    const Error kept = ingest::kept_reason(reason);
    ids.add(id);
    codes.add(traits(kept.code).name);
    details.add(std::string_view(kept.detail));
    fields.add(std::string_view(kept.field));
  }
  Call call{&kRefuseAgain, {}};
  for (Array* array : {&ids, &codes, &details, &fields}) call.parameters.add(std::move(*array));
  return change("refusing dead letters again", call).map([](std::uint64_t) {});
}

Result<std::uint64_t> PostgresDeadLetters::remove(std::span<const DeadLetterId> ids) {
  SCORELINE_CHECK(ids.size() <= kMaxBatch);
  Array wanted(Type::int8, ids.size());
  for (const DeadLetterId id : ids) wanted.add(id);
  Call call{&kRemove, {}};
  call.parameters.add(std::move(wanted));
  return change("removing dead letters", call);
}

}  // namespace scoreline::postgres
