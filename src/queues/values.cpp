#include "queues/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/utf8.h"

namespace scoreline::queues {

Result<void> check_queue_name(std::string_view name) {
  const auto letter_or_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
  const auto allowed = [&](char c) { return letter_or_digit(c) || c == '.' || c == '_' || c == '-'; };
  if (!name.empty() && name.size() <= kMaxQueueNameBytes && letter_or_digit(name.front()) &&
      std::all_of(name.begin(), name.end(), allowed)) {
    return {};
  }
  return fail(Code::invalid, "must be 1..64 characters of a-z, 0-9, '.', '_' and '-', beginning with a letter or digit",
              "queue");
}

Result<void> check_job_id(std::string_view id) {
  if (!id.empty() && id.size() <= kMaxJobIdBytes && is_utf8(id) && !has_control_character(id)) return {};
  return fail(Code::invalid, "must be 1..128 bytes of UTF-8 without control characters", "id");
}

std::string_view to_string(JobState state) {
  switch (state) {
    case JobState::ready: return "ready";
    case JobState::delayed: return "delayed";
    case JobState::leased: return "leased";
    case JobState::dead: return "dead";
    case JobState::done: return "done";
  }
  return "done";
}

std::optional<JobState> parse_job_state(std::string_view text) {
  for (const JobState state : {JobState::ready, JobState::delayed, JobState::leased, JobState::dead, JobState::done}) {
    if (to_string(state) == text) return state;
  }
  return std::nullopt;
}

std::string_view to_string(DeadCause cause) {
  switch (cause) {
    case DeadCause::none: return "none";
    case DeadCause::failed: return "failed";
    case DeadCause::crash_loop: return "crash_loop";
  }
  return "none";
}

std::string format_receipt(Receipt receipt) { return fmt::format("{:016x}", receipt.bits); }

Result<Receipt> parse_receipt(std::string_view text) {
  Receipt receipt;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, receipt.bits, 16);
  if (text.size() == 16 && error == std::errc() && stopped == end) return receipt;
  return fail(Code::invalid, "must be the receipt of a lease: 16 hexadecimal digits", "receipt");
}

}  // namespace scoreline::queues
