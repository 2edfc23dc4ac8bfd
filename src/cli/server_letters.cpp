#include "cli/server_letters.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/server_store.h"
#include "http/dead_letter_json.h"
#include "http/json_document.h"

namespace scoreline::cli {

using ingest::DeadLettersDone;
using ingest::StoredDeadLetter;

Result<std::vector<StoredDeadLetter>> ServerLetters::list(ingest::DeadLetterId after, std::size_t limit) {
  http::ClientRequest request;
  request.target = fmt::format("/v1/dead-letters?after={}&limit={}", after, limit);
  const auto body = ask(client_, request);
  if (!body) return fail(body.error());
  const auto document = http::JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  std::vector<StoredDeadLetter> letters;
  Result<void> sound;
  if (document->root().kind() != http::JsonKind::object) return letters;
  document->root().each([&](http::JsonValue member) {
    if (member.key() != "deadLetters" || member.kind() != http::JsonKind::array) return;
    member.each([&](http::JsonValue each) {
      auto letter = http::read_dead_letter(each);
      if (letter) {
        letters.push_back(*std::move(letter));
      } else {
        sound = fail(letter.error());
      }
    });
  });
  if (!sound) return fail(sound.error());
  return letters;
}

Result<StoredDeadLetter> ServerLetters::find(ingest::DeadLetterId id) {
  http::ClientRequest request;
  request.target = fmt::format("/v1/dead-letters/{}", id);
  const auto body = ask(client_, request);
  if (!body) return fail(body.error());
  const auto document = http::JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  return http::read_dead_letter(document->root());
}

Result<DeadLettersDone> ServerLetters::work(std::string_view verb, std::string_view done,
                                            const ingest::DeadLetterChoice& choice) {
  http::ClientRequest request;
  request.method = http::Method::post;
  request.target = fmt::format("/v1/dead-letters:{}", verb);
  request.body = choice.ids.empty() ? fmt::format(R"({{"all":true,"after":{}}})", choice.after)
                                    : fmt::format(R"({{"ids":[{}]}})", fmt::join(choice.ids, ","));
  const auto body = ask(client_, request);
  if (!body) return fail(body.error());
  const auto document = http::JsonDocument::parse(*body);
  if (!document) return fail(document.error());
  return http::read_done(document->root(), done);
}

Result<DeadLettersDone> ServerLetters::replay(const ingest::DeadLetterChoice& choice) {
  return work("replay", "replayed", choice);
}

Result<DeadLettersDone> ServerLetters::discard(const ingest::DeadLetterChoice& choice) {
  return work("discard", "discarded", choice);
}

}  // namespace scoreline::cli
