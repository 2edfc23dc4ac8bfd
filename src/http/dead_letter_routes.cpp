// Messages that could not be taken: listed, looked at, taken in again, discarded.
#include <charconv>
#include <limits>
#include <utility>

#include "base/limits.h"
#include "http/board_view.h"
#include "http/dead_letter_json.h"
#include "http/json_text.h"
#include "http/routes.h"

namespace scoreline::http {
namespace {

using ingest::DeadLetterChoice;
using ingest::DeadLetterId;
using ingest::DeadLettersDone;

Result<ingest::DeadLetters*> letters_of(const Call& call) {
  if (call.context.dead_letters != nullptr) return call.context.dead_letters;
  return fail(Code::not_found, "this server keeps no dead letters");
}

Result<DeadLettersDone> work_on_letters(
    const Call& call, Result<DeadLettersDone> (ingest::DeadLetterReplay::*work)(const DeadLetterChoice&)) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  if (auto type = body_type(call.request, false); !type) return fail(std::move(type.error()));
  if (const auto there = letters_of(call); !there) return fail(there.error());
  const auto choice = read_choice(call.request.body);
  if (!choice) return fail(choice.error());
  return (*call.context.replay.*work)(*choice);
}

}  // namespace

Result<Response> list_dead_letters(const Call& call) {
  if (auto known = call.target.allow_only({"after", "limit"}); !known) return fail(std::move(known.error()));
  const auto letters = letters_of(call);
  if (!letters) return fail(letters.error());
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<DeadLetterId>::max());
  const auto after = call.target.whole_number("after", 0, 0, kMost);
  if (!after) return fail(after.error());
  const auto limit = call.target.whole_number("limit", kDefaultEntries, 1, kMaxEntries);
  if (!limit) return fail(limit.error());
  const auto page = (*letters)->list(static_cast<DeadLetterId>(*after), *limit);
  if (!page) return fail(page.error());
  std::string out = R"({"deadLetters":[)";
  for (const auto& stored : *page) {
    if (&stored != page->data()) out += ',';
    append_dead_letter(out, stored);
  }
  out += ']';
  if (page->size() == *limit) {
    out += R"(,"next":)";
    append_number(out, page->back().id);
  }
  return json(out + '}');
}

Result<Response> get_dead_letter(const Call& call) {
  if (auto known = call.target.allow_only({}); !known) return fail(std::move(known.error()));
  const auto letters = letters_of(call);
  if (!letters) return fail(letters.error());
  DeadLetterId id = 0;
  const std::string_view text = call.params[0];
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return fail(Code::invalid, "must be the id of a dead letter, a whole number", "id");
  }
  const auto stored = (*letters)->find(id);
  if (!stored) return fail(stored.error());
  if (!*stored) return fail(Code::not_found, "there is no such dead letter", "id");
  std::string out;
  append_dead_letter(out, **stored);
  return json(std::move(out));
}

Result<Response> replay_dead_letters(const Call& call) {
  return work_on_letters(call, &ingest::DeadLetterReplay::replay).map([](const DeadLettersDone& done) {
    return json(done_json(done, "replayed"));
  });
}

Result<Response> discard_dead_letters(const Call& call) {
  return work_on_letters(call, &ingest::DeadLetterReplay::discard).map([](const DeadLettersDone& done) {
    return json(done_json(done, "discarded"));
  });
}

}  // namespace scoreline::http
