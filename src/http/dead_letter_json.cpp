#include "http/dead_letter_json.h"

#include <optional>
#include <utility>

#include "base/base64.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "http/json_fields.h"
#include "http/json_text.h"

namespace scoreline::http {

using ingest::DeadLetterChoice;
using ingest::DeadLettersDone;
using ingest::StoredDeadLetter;

namespace {

constexpr std::string_view kChoiceFields = "ids, all, after";

void append_text(std::string& out, std::string_view key, std::string_view text) {
  out += ",\"";
  out += key;
  out += "\":";
  append_quoted(out, text);
}

template <typename Number>
void append_member(std::string& out, std::string_view key, Number number) {
  out += ",\"";
  out += key;
  out += "\":";
  append_number(out, number);
}

void append_reason(std::string& out, const Error& reason) {
  append_text(out, "code", traits(reason.code).name);
  if (!reason.field.empty()) append_text(out, "field", reason.field);
  append_text(out, "detail", reason.detail);
}

void append_value(std::string& out, const std::optional<std::string>& value) {
  if (!value) {
    out += R"(,"value":null)";
  } else if (is_utf8(*value)) {
    append_text(out, "value", *value);
  } else {
    append_text(out, "valueBase64", to_base64(*value));
  }
}

/// Reads the members of an object that this program wrote; the first that is not what it must be fails them all.
class Members {
 public:
  explicit Members(JsonValue object) : object_(object), sound_(object.kind() == JsonKind::object) {}

  template <typename Read, typename Target>
  Members& read(std::string_view key, Read how, Target& target) {
    each(key, [&](JsonValue member) {
      if (auto value = how(member)) {
        target = *std::move(value);
      } else {
        sound_ = false;
      }
    });
    return *this;
  }
  bool sound() const { return sound_; }

 private:
  template <typename Visit>
  void each(std::string_view key, Visit visit) {
    if (!sound_) return;
    object_.each([&](JsonValue member) {
      if (member.key() == key && member.kind() != JsonKind::null) visit(member);
    });
  }

  JsonValue object_;
  bool sound_;
};

Result<std::string> text(JsonValue member) {
  return read_string(member).map([](std::string_view read) { return std::string(read); });
}

Result<Code> code(JsonValue member) {
  return read_string(member).map([](std::string_view name) { return parse_code(name).value_or(Code::internal); });
}

tl::unexpected<Error> not_ours() { return fail(Code::unreadable, "the answer is not one of Scoreline's", "server"); }

Result<DeadLetterChoice> check(DeadLetterChoice choice, bool all, bool has_ids) {
  if (all == has_ids) return fail(Code::invalid, "must name the letters, or `all` must be true", "ids");
  if (has_ids && choice.ids.empty()) return fail(Code::invalid, "must hold 1..1000 ids", "ids");
  return choice;
}

}  // namespace

void append_dead_letter(std::string& out, const StoredDeadLetter& stored) {
  const auto& [message, size, reason] = stored.letter;
  out += R"({"id":)";
  append_number(out, stored.id);
  append_text(out, "topic", message.from.topic);
  append_member(out, "partition", message.from.partition);
  append_member(out, "offset", message.offset);
  if (message.sent_at && *message.sent_at >= kMinTimestamp && *message.sent_at <= kMaxTimestamp) {
    append_text(out, "sentAt", format_timestamp(*message.sent_at));
  }
  append_text(out, "addedAt", format_timestamp(stored.added_at));
  append_reason(out, reason);
  append_member(out, "size", size);
  append_value(out, message.value);
  out += '}';
}

Result<StoredDeadLetter> read_dead_letter(JsonValue object) {
  StoredDeadLetter stored;
  auto& [message, size, reason] = stored.letter;
  std::int64_t partition = 0, bytes = 0;
  const auto base64 = [](JsonValue member) { return text(member).and_then(from_base64); };
  const bool sound = Members(object)
                         .read("id", read_integer, stored.id)
                         .read("topic", text, message.from.topic)
                         .read("partition", read_integer, partition)
                         .read("offset", read_integer, message.offset)
                         .read("sentAt", read_timestamp, message.sent_at)
                         .read("addedAt", read_timestamp, stored.added_at)
                         .read("code", code, reason.code)
                         .read("field", text, reason.field)
                         .read("detail", text, reason.detail)
                         .read("size", read_integer, bytes)
                         .read("value", text, message.value)
                         .read("valueBase64", base64, message.value)
                         .sound();
  if (!sound || stored.id == 0) return not_ours();
  message.from.partition = static_cast<std::int32_t>(partition);
  size = static_cast<std::uint64_t>(bytes);
  return stored;
}

std::string done_json(const DeadLettersDone& done, std::string_view verb) {
  std::string out = "{\"";
  out += verb;
  out += "\":";
  append_number(out, done.done);
  out += R"(,"refused":[)";
  for (const auto& [id, reason] : done.refused) {
    if (out.back() != '[') out += ',';
    out += R"({"id":)";
    append_number(out, id);
    append_reason(out, reason);
    out += '}';
  }
  out += ']';
  if (done.next) append_member(out, "next", *done.next);
  out += '}';
  return out;
}

Result<DeadLettersDone> read_done(JsonValue object, std::string_view verb) {
  DeadLettersDone done;
  std::int64_t count = -1;
  bool sound = Members(object).read(verb, read_integer, count).read("next", read_integer, done.next).sound();
  if (!sound || count < 0) return not_ours();
  done.done = static_cast<std::uint64_t>(count);
  object.each([&](JsonValue member) {
    if (member.key() != "refused" || member.kind() != JsonKind::array) return;
    member.each([&](JsonValue each) {
      ingest::RefusedAgain refused;
      Members read(each);
      read.read("id", read_integer, refused.id).read("code", code, refused.reason.code);
      read.read("field", text, refused.reason.field).read("detail", text, refused.reason.detail);
      sound = sound && read.sound();
      done.refused.push_back(std::move(refused));
    });
  });
  if (!sound) return not_ours();
  return done;
}

Result<DeadLetterChoice> read_choice(std::string_view body) {
  const auto document = JsonDocument::parse(body);
  if (!document) return fail(document.error());
  const JsonValue root = document->root();
  if (root.kind() != JsonKind::object) {
    return fail(Code::invalid, "must be an object, not " + std::string(to_string(root.kind())));
  }
  DeadLetterChoice choice;
  std::optional<Error> error;
  bool all = false;
  const auto read_id = [&](JsonValue value, std::string_view field, ingest::DeadLetterId& id) {
    const auto read = read_integer(value);
    if (read && *read >= 0) {
      id = *read;
    } else if (!error) {
      error = Error{Code::invalid, "must be the id of a dead letter, a whole number", std::string(field), {}};
    }
  };
  root.each([&](JsonValue member) {
    if (error) return;
    const std::string_view key = member.key();
    if (key == "all" && member.kind() == JsonKind::boolean) {
      all = member.text() == "true";
    } else if (key == "after") {
      read_id(member, key, choice.after);
    } else if (key == "ids" && member.kind() == JsonKind::array) {
      if (member.size() > kMaxEntries) {
        error = Error{Code::too_many, "must hold 1..1000 ids", "ids", {}};
        return;
      }
      member.each([&](JsonValue value) { read_id(value, key, choice.ids.emplace_back()); });
    } else if (key == "all" || key == "ids") {
      error = Error{Code::invalid, key == "all" ? "must be true or false" : "must be an array", std::string(key), {}};
    } else {
      error = unknown_field(key, kChoiceFields);
    }
  });
  if (error) return fail(*std::move(error));
  return check(std::move(choice), all, root.has("ids"));
}

}  // namespace scoreline::http
