#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "base/limits.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "http/dead_letter_json.h"

namespace scoreline::cli {
namespace {

using ingest::DeadLetterChoice;
using ingest::DeadLettersDone;
using ingest::StoredDeadLetter;
using Deed = DeadLettersCommand::Deed;

constexpr std::size_t kMaxShownBytes = 64 * 1024;

std::string reason_text(const Error& reason) {
  const std::string field = reason.field.empty() ? std::string() : reason.field + ": ";
  return visible_text(fmt::format("{}: {}{}", traits(reason.code).name, field, reason.detail), kMaxShownBytes);
}

std::string place_text(const ingest::Message& message) {
  return fmt::format("{}[{}]@{}", visible_text(message.from.topic, kMaxShownBytes), message.from.partition,
                     message.offset);
}

/// Line by line as a terminal may show it: a hostile value must not move its cursor.
std::string value_text(std::string_view value) {
  std::string out;
  while (!value.empty()) {
    const std::size_t end = value.find('\n');
    out += "  " + visible_text(value.substr(0, end), kMaxShownBytes) + '\n';
    value.remove_prefix(end == std::string_view::npos ? value.size() : end + 1);
  }
  return out;
}

std::string letter_text(const StoredDeadLetter& stored) {
  const auto& [message, size, reason] = stored.letter;
  std::string out = fmt::format("dead letter {} from {}, added {}\n", stored.id, place_text(message),
                                format_timestamp(stored.added_at));
  if (message.sent_at && *message.sent_at >= kMinTimestamp && *message.sent_at <= kMaxTimestamp) {
    out += "sent " + format_timestamp(*message.sent_at) + '\n';
  }
  out += reason_text(reason) + '\n';
  if (!message.value) return out + "its value is null\n";
  out += fmt::format("its value, {} bytes{}:\n", size,
                     stored.is_whole() ? "" : fmt::format(", of which {} are kept", message.value->size()));
  return out + value_text(*message.value);
}

Result<int> list(const DeadLettersCommand& command, LetterStore& store, Context& context) {
  const auto letters = store.list(command.after, command.limit);
  if (!letters) return fail(letters.error());
  const bool more = letters->size() == command.limit;
  if (context.json) {
    std::string out = R"({"deadLetters":[)";
    for (const StoredDeadLetter& stored : *letters) {
      if (&stored != letters->data()) out += ',';
      http::append_dead_letter(out, stored);
    }
    context.out << out << ']' << (more ? fmt::format(R"(,"next":{})", letters->back().id) : "") << "}\n";
    return 0;
  }
  for (const StoredDeadLetter& stored : *letters) {
    context.out << fmt::format("{:>8}  {}  {}  {} bytes  {}\n", stored.id, format_timestamp(stored.added_at),
                               place_text(stored.letter.message), stored.letter.size,
                               reason_text(stored.letter.reason));
  }
  if (letters->empty()) context.out << "there are no dead letters\n";
  if (more) context.out << fmt::format("there may be more: --after {}\n", letters->back().id);
  return 0;
}

Result<int> show(const DeadLettersCommand& command, LetterStore& store, Context& context) {
  const auto stored = store.find(command.ids.front());
  if (!stored) return fail(stored.error());
  if (!context.json) {
    context.out << letter_text(*stored);
    return 0;
  }
  std::string out;
  http::append_dead_letter(out, *stored);
  context.out << out << '\n';
  return 0;
}

/// One call of the store after the other, until all letters have had their turn.
Result<DeadLettersDone> work(const DeadLettersCommand& command, LetterStore& store) {
  const auto call = [&](const DeadLetterChoice& choice) {
    return command.deed == Deed::replay ? store.replay(choice) : store.discard(choice);
  };
  DeadLettersDone all;
  const auto take = [&all](DeadLettersDone part) {
    all.done += part.done;
    std::move(part.refused.begin(), part.refused.end(), std::back_inserter(all.refused));
    return part.next;
  };
  std::span<const std::int64_t> ids = command.ids;
  DeadLetterChoice choice;
  for (bool more = true; more;) {
    const auto part = ids.first(std::min(ids.size(), kMaxEntries));
    choice.ids.assign(part.begin(), part.end());
    ids = ids.subspan(part.size());
    auto done = call(choice);
    if (!done) return fail(std::move(done).error());
    const auto next = take(*std::move(done));
    choice.after = next.value_or(0);
    more = command.all ? next.has_value() : !ids.empty();
  }
  return all;
}

Result<int> work_and_tell(const DeadLettersCommand& command, LetterStore& store, Context& context) {
  const auto done = work(command, store);
  if (!done) return fail(done.error());
  const bool replays = command.deed == Deed::replay;
  if (context.json) {
    context.out << http::done_json(*done, replays ? "replayed" : "discarded") << '\n';
  } else {
    for (const auto& [id, reason] : done->refused) context.out << fmt::format("{}: {}\n", id, reason_text(reason));
    context.out << fmt::format("{} {}, {} {}\n", done->done, replays ? "taken in" : "discarded", done->refused.size(),
                               replays ? "refused" : "not there");
  }
  return done->refused.empty() ? 0 : traits(Code::invalid).exit_code;
}

}  // namespace

Result<int> run_dead_letters(const DeadLettersCommand& command, Context& context) {
  const auto store = context.open_letters();
  if (!store) return fail(store.error());
  switch (command.deed) {
    case Deed::list: return list(command, **store, context);
    case Deed::show: return show(command, **store, context);
    case Deed::replay:
    case Deed::discard: break;
  }
  return work_and_tell(command, **store, context);
}

}  // namespace scoreline::cli
