#include "adapters/redis/redis_job_codec.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace scoreline::redis {

using queues::DeadCause;
using queues::EnqueueAnswer;
using queues::EnqueueOutcome;
using queues::JobPosition;
using queues::JobSpec;
using queues::JobState;
using queues::QueueStats;
using queues::StoredJob;

namespace {

constexpr std::size_t kRecordBytes = 41;  // RECORD_BYTES of lua/job_queue.lua
constexpr std::chrono::milliseconds kRetry = std::chrono::seconds{1};

/// Unsigned numbers, the highest byte first.
class RecordReader {
 public:
  explicit RecordReader(std::string_view record) : rest_(record) {}
  std::uint64_t number(std::size_t bytes) {
    std::uint64_t value = 0;
    for (const char byte : rest_.substr(0, bytes)) value = value << 8 | static_cast<unsigned char>(byte);
    rest_.remove_prefix(bytes);
    return value;
  }
  template <typename Number>
  Number as(std::size_t bytes) {
    return static_cast<Number>(number(bytes));
  }
  std::string_view rest() const { return rest_; }

 private:
  std::string_view rest_;
};

bool read_record(std::string_view record, StoredJob& job) {
  if (record.size() < kRecordBytes) return false;
  RecordReader reader(record);
  job.state = reader.as<JobState>(1);
  job.priority = reader.as<std::uint8_t>(1);
  job.cause = reader.as<DeadCause>(1);
  job.max_attempts = reader.as<std::uint16_t>(2);
  job.failures = reader.as<std::uint16_t>(2);
  job.crashes = reader.as<std::uint16_t>(2);
  job.lease_ms = reader.as<std::uint32_t>(4);
  job.sequence = reader.number(8);
  job.run_at.ms = reader.as<std::int64_t>(6);
  job.until.ms = reader.as<std::int64_t>(6);
  job.receipt.bits = reader.number(8);
  job.reason = reader.rest();
  return job.state <= JobState::done && job.cause <= DeadCause::crash_loop && job.priority < queues::kPriorities;
}

bool read_number(const Reply& reply, double& number) {
  const char* const end = reply.text.data() + reply.text.size();
  const auto [stopped, error] = std::from_chars(reply.text.data(), end, number);
  return error == std::errc() && stopped == end && std::isfinite(number);
}

std::string when_of(const JobSpec& job) {
  if (job.run_at) return std::to_string(job.run_at->ms);
  return job.delay ? "+" + std::to_string(job.delay->count()) : std::string();
}

}  // namespace

std::vector<std::string> queue_keys(std::string_view prefix, std::string_view queue) {
  std::vector<std::string> keys{fmt::format("{}:{{{}}}", prefix, queue)};
  for (const char* const part : {"jobs", "payloads", "ready", "delayed", "leased", "dead", "done", "schedules"}) {
    keys.push_back(keys.front() + ":" + part);
  }
  return keys;
}

std::string_view queue_of_key(std::string_view key) {
  const auto open = key.find('{');
  const auto close = key.find('}');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return key.substr(open + 1, close - open - 1);
}

Error job_error_of(std::string_view reply) {
  const std::string quoted = " (" + std::string(reply.substr(0, 200)) + ")";
  if (reply.find("OOM") != std::string_view::npos) {
    return Error{
        Code::storage_full, "the Redis of the queues has no memory left; raise its maxmemory" + quoted, {}, kRetry};
  }
  return Error{Code::storage_failed, "the Redis of the queues refuses the call" + quoted, {}, kRetry};
}

tl::unexpected<Error> strange_job_answer() {
  return fail(Code::storage_failed, "the Redis of the queues gave an answer that its script cannot give");
}

std::string bytes_of(queues::Receipt receipt) {
  std::string bytes(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(receipt.bits >> (56 - 8 * i));
  return bytes;
}

std::vector<std::string> words_of_jobs(const std::vector<JobSpec>& jobs) {
  std::vector<std::string> words;
  words.reserve(jobs.size() * 5);
  for (const JobSpec& job : jobs) {
    words.push_back(job.id);
    words.push_back(job.payload);
    words.push_back(std::to_string(job.priority));
    words.push_back(when_of(job));
    words.push_back(job.max_attempts ? std::to_string(*job.max_attempts) : std::string());
  }
  return words;
}

Result<std::vector<StoredJob>> jobs_of(const Reply& reply, std::size_t stride) {
  const auto& words = reply.elements;
  if (reply.kind != Reply::Kind::array || words.size() % stride != 0) return strange_job_answer();
  std::vector<StoredJob> jobs(words.size() / stride);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!read_record(words[i * stride + 1].text, jobs[i])) return strange_job_answer();
    jobs[i].id = words[i * stride].text;
    if (stride > 2) jobs[i].payload = words[i * stride + 2].text;
  }
  return jobs;
}

Result<std::vector<EnqueueAnswer>> enqueued_of(const Reply& reply, const std::vector<std::string>& ids) {
  const auto& words = reply.elements;
  if (reply.kind != Reply::Kind::array) return strange_job_answer();
  if (words.size() >= 2 && words[0].text == "too_large") {
    const std::string field =
        ids.size() > 1 && words.size() > 2 ? fmt::format("jobs[{}].payload", words[2].integer) : std::string("payload");
    return fail(Code::too_large, fmt::format("must be at most {} bytes", words[1].integer), field);
  }
  if (words.size() >= 3 && words[0].text == "full") {
    return fail(Error{Code::overloaded,
                      fmt::format("the queue holds {} jobs, and {} at most", words[1].integer, words[2].integer),
                      {},
                      kRetry});
  }
  if (words.size() != ids.size()) return strange_job_answer();
  std::vector<EnqueueAnswer> answers;
  answers.reserve(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t bits = words[i].integer;
    if (words[i].kind != Reply::Kind::integer || (bits & 7) > 4 || bits < 0) return strange_job_answer();
    answers.push_back(
        {ids[i], bits >= 8 ? EnqueueOutcome::duplicate : EnqueueOutcome::enqueued, static_cast<JobState>(bits & 7)});
  }
  return answers;
}

Result<QueueStats> stats_of(const Reply& reply) {
  const auto& words = reply.elements;
  if (words.size() != 19) return strange_job_answer();
  const auto number = [&](std::size_t i) { return static_cast<std::uint64_t>(words[i].integer); };
  QueueStats stats;
  stats.ready = number(0);
  stats.delayed = number(1);
  stats.leased = number(2);
  stats.dead = number(3);
  stats.done = number(4);
  stats.oldest_ready = std::chrono::milliseconds{std::max<std::int64_t>(0, words[5].integer)};
  stats.paused = number(6) != 0;
  stats.enqueued = number(7);
  stats.duplicates = number(8);
  stats.taken = number(9);
  stats.acked = number(10);
  stats.nacked = number(11);
  stats.crashed = number(12);
  stats.died = number(13);
  stats.dead_evicted = number(14);
  stats.dead_expired = number(15);
  if (!read_number(words[16], stats.enqueued_per_second) || !read_number(words[17], stats.taken_per_second)) {
    return strange_job_answer();
  }
  stats.memory_bytes = number(18);
  return stats;
}

Result<std::optional<JobPosition>> position_of(const Reply& reply) {
  const auto& words = reply.elements;
  if (words.empty()) return std::optional<JobPosition>();
  double rate = 0;
  if (words.size() != 3 || !read_number(words[1], rate)) return strange_job_answer();
  JobPosition position{static_cast<std::uint64_t>(words[0].integer), std::nullopt};
  // A rate that has all but faded says nothing.
  if (rate > 1e-6 && words[2].integer == 0) {
    const double wait = static_cast<double>(position.ahead) / rate * 1'000;
    position.estimated_wait = std::chrono::milliseconds{std::llround(wait)};
  }
  return std::optional(position);
}

}  // namespace scoreline::redis
