#include "adapters/redis/redis_job_schedules.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <future>
#include <map>
#include <utility>

#include "adapters/redis/redis_job_codec.h"
#include "adapters/redis/scripts.h"

namespace scoreline::redis {

using queues::Schedule;

namespace {

/// How late others see that a schedule was put or dropped.
constexpr std::chrono::milliseconds kLookEvery{1'000};

template <typename Number>
bool read(std::string_view text, Number& number) {
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end;
}

/// Up to `separator`, which goes too.
std::string_view cut(std::string_view& text, char separator) {
  const std::string_view word = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

bool read_definition(std::string_view text, Schedule& schedule) {
  int attempts = 0;
  if (!read(cut(text, ' '), schedule.priority) || !read(cut(text, '\n'), attempts)) return false;
  if (attempts > 0) schedule.max_attempts = attempts;
  schedule.cron = cut(text, '\n');
  schedule.time_zone = cut(text, '\n');
  schedule.payload = text;
  queues::QueueOptions widest;
  widest.max_payload = queues::kMaxPayloadBytes;
  return check(schedule, widest).has_value();
}

}  // namespace

std::string definition_of(const Schedule& schedule) {
  return fmt::format("{} {}\n{}\n{}\n{}", schedule.priority, schedule.max_attempts.value_or(0), schedule.cron,
                     schedule.time_zone, schedule.payload);
}

Result<KeptSchedules> schedules_of(const Reply& reply) {
  if (reply.elements.size() != 2) return strange_job_answer();
  KeptSchedules kept{Timestamp{reply.elements[0].integer}, {}};
  std::map<std::string, KeptSchedule> by_name;
  const auto& words = reply.elements[1].elements;
  for (std::size_t i = 0; i + 1 < words.size(); i += 2) {
    const std::string& value = words[i + 1].text;
    if (words[i].text.size() < 3) return strange_job_answer();
    KeptSchedule& of = by_name[words[i].text.substr(2)];
    of.schedule.name = words[i].text.substr(2);
    bool right = true;
    switch (words[i].text.front()) {
      case 'd': right = read_definition(value, of.schedule); break;
      case 'l': right = read(value, of.last.ms); break;
      default: of.ticked = value == "1";
    }
    if (!right) return strange_job_answer();
  }
  for (auto& [name, schedule] : by_name) kept.all.push_back(std::move(schedule));
  return kept;
}

JobSchedules::JobSchedules(Client& client, JobLanes& lanes, std::string prefix, const Clock& clock)
    : client_(client), lanes_(lanes), key_(std::move(prefix) + ":scheduled"), clock_(clock), thread_([this] {
        keep();
      }) {}

JobSchedules::~JobSchedules() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<void> JobSchedules::look_after(std::string_view queue) {
  const Command add{key_, {"SADD", key_, std::string(queue)}};
  const auto replies = client_.run(std::span(&add, 1));
  if (!replies) return fail(replies.error());
  if (replies->front().kind == Reply::Kind::error) return fail(job_error_of(replies->front().text));
  return {};
}

/// False when it is time to end.
bool JobSchedules::sleep(std::chrono::milliseconds span) {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, span, [this] { return stopping_; });
}

void JobSchedules::keep() {
  while (sleep(look())) {
  }
}

/// In how long to look again.
std::chrono::milliseconds JobSchedules::look() {
  const Command all{key_, {"SMEMBERS", key_}};
  const auto names = client_.run(std::span(&all, 1));
  auto next = kLookEvery;
  if (!names) return next;
  for (const Reply& name : names->front().elements) next = std::min(next, look_at(name.text));
  return next;
}

std::chrono::milliseconds JobSchedules::look_at(const std::string& queue) {
  const auto reply = ask(queue, {"all"});
  const auto kept = reply.and_then([](const Reply& answer) { return schedules_of(answer); });
  auto next = kLookEvery;
  if (!kept) return next;
  for (const KeptSchedule& each : kept->all) {
    const queues::Ticks found = ticks(each.schedule, each.last, kept->now);
    if (found.due) tick(queue, each, *found.due);
    if (found.next) next = std::min(next, std::chrono::milliseconds{found.next->ms - kept->now.ms});
  }
  return std::max(next, std::chrono::milliseconds{1});
}

/// What goes wrong is tried again with the next look.
void JobSchedules::tick(const std::string& queue, const KeptSchedule& kept, Timestamp tick) {
  const Schedule& schedule = kept.schedule;
  std::vector<std::string> words = {"tick", schedule.name, definition_of(schedule), std::to_string(kept.last.ms),
                                    std::to_string(tick.ms)};
  const queues::JobSpec job{tick_id(schedule, tick), schedule.payload, schedule.priority, {}, {},
                            schedule.max_attempts};
  for (std::string& word : words_of_jobs({job})) words.push_back(std::move(word));
  static_cast<void>(ask(queue, std::move(words)));
}

Result<Reply> JobSchedules::ask(const std::string& queue, std::vector<std::string> words) {
  std::promise<Result<Reply>> answer;
  lanes_.call(queue, {&scripts().job_schedule, std::move(words), false, false,
                      [&answer](Result<Reply> reply) { answer.set_value(std::move(reply)); }});
  return answer.get_future().get();
}

}  // namespace scoreline::redis
