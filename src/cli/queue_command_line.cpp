#include "cli/queue_command_line.h"

#include "base/duration.h"
#include "cli/command_options.h"
#include "queues/limits.h"

namespace scoreline::cli {
namespace {

using Deed = QueueCommand::Deed;

constexpr std::size_t kMaxConcurrency = 256;

std::string check_duration(const std::string& text) {
  const auto duration = parse_duration(text);
  return duration ? std::string() : duration.error().detail;
}

std::string check_lease(const std::string& text) {
  const auto lease = parse_duration(text);
  if (!lease) return lease.error().detail;
  const bool fits = *lease >= std::chrono::seconds{1} && *lease <= queues::kMaxLease;
  return fits ? std::string() : "must be 1s..1d";
}

void add_duration(CLI::App& app, const std::string& flag, std::optional<std::string>& text, const std::string& help) {
  app.add_option(flag, text, help)->check(check_duration)->type_name("DURATION");
}

std::string check_option(const std::string& text) {
  const std::size_t equals = text.find('=');
  return equals == 0 || equals == std::string::npos ? "must be NAME=VALUE, like lease=2m" : std::string();
}

CLI::Option* add_state(CLI::App& app, std::string& state) {
  return app.add_option("--state", state, "Of jobs in this state: ready, delayed, leased, dead or done")
      ->check(CLI::IsMember({"ready", "delayed", "leased", "dead", "done"}))
      ->type_name("STATE");
}

}  // namespace

void QueueCommandLine::add_to(CLI::App& app) {
  queue_ = app.add_subcommand("queue", "Put jobs into queues, work on them, and look after them");
  queue_->footer(
      "Examples:\n"
      "  scoreline queue push mail '{\"to\":\"ann@example.org\"}' --priority 0 --server http://127.0.0.1:8080\n"
      "  scoreline queue work mail --concurrency 4 --server http://127.0.0.1:8080 -- ./send-mail\n"
      "  scoreline queue stats mail --data DIR");
  queue_->require_subcommand(1);
  queue_->fallthrough();
  add_putting_in();
  add_working();
  add_looking();
  add_operating();
  add_schedules();
}

CLI::App* QueueCommandLine::deed(const std::string& name, Deed which, const std::string& help) {
  CLI::App* sub = queue_->add_subcommand(name, help);
  sub->callback([this, which] { command_.deed = which; });
  if (which != Deed::list) sub->add_option("QUEUE", command_.queue, "Which queue")->required();
  return sub;
}

CLI::App* QueueCommandLine::on_lease(const std::string& name, Deed which, const std::string& help) {
  CLI::App* sub = deed(name, which, help);
  sub->add_option("ID", command_.id, "The job's id")->required();
  sub->add_option("RECEIPT", command_.receipt, "That of the lease, as take told it")->required();
  return sub;
}

void QueueCommandLine::add_putting_in() {
  CLI::App* push = deed("push", Deed::push, "Put a job in");
  auto* payload =
      push->add_option("PAYLOAD", command_.payload, "JSON or any other bytes; - is standard input; none: null");
  auto* id = push->add_option("--id", command_.id, "Its id: while it is taken, pushing it again changes nothing");
  id->type_name("ID");
  push->add_flag("--lines", command_.lines, "Each line of standard input is the payload of a job")
      ->excludes(payload)
      ->excludes(id);
  push->add_option("--priority", command_.priority, "0 (goes first) to 9; 5 when none is given")->type_name("0..9");
  push->add_option("--max-attempts", command_.max_attempts, "How often it may fail; else as the queue says")
      ->type_name("N");
  auto* delay = push->add_option("--delay", command_.delay, "Ready only after it, like 800ms or 2h");
  delay->check(check_duration)->type_name("DURATION");
  push->add_option_function<std::string>(
          "--run-at", [this](const std::string& text) { command_.run_at = *parse_timestamp(text); }, "Ready only then")
      ->check([](const std::string& text) {
        const auto at = parse_timestamp(text);
        return at ? std::string() : at.error().detail;
      })
      ->excludes(delay)
      ->type_name("TIME");
}

void QueueCommandLine::add_working() {
  work_ = queue_->add_subcommand("work", "Run a program for each job: exit code 0 acknowledges it");
  work_->footer(
      "The program has the payload on its standard input, and SCORELINE_QUEUE, SCORELINE_JOB_ID,\n"
      "SCORELINE_JOB_ATTEMPT and SCORELINE_JOB_PRIORITY in its environment. With another exit code the job\n"
      "is given back as failed, for the reason that is the program's last line on standard error.");
  work_->add_option("QUEUE", work_command_.queue, "Which queue")->required();
  work_->add_option("COMMAND", work_command_.command, "The program and its arguments, behind --")->required();
  work_->add_option("--concurrency", work_command_.concurrency, "How many jobs at once")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, kMaxConcurrency))
      ->type_name("N");
  work_
      ->add_option_function<std::string>(
          "--lease", [this](const std::string& text) { work_command_.lease = *parse_duration(text); },
          "How long a job stays out when this worker is lost (30s); extended while the program runs")
      ->check(check_lease)
      ->type_name("DURATION");

  CLI::App* take = deed("take", Deed::take, "Take jobs under a lease");
  take->add_option("--max", command_.max, "How many at most (1)")->type_name("N");
  add_duration(*take, "--wait", command_.wait, "How long to wait for the first (0)");
  add_duration(*take, "--lease", command_.lease, "For how long; else as the queue says");
  deed("poll", Deed::poll, "Take one job and forget it");
  deed("poll-due", Deed::poll_due, "Take the delayed job that fell due first, and forget it");
  on_lease("ack", Deed::ack, "The job is done");
  CLI::App* nack = on_lease("nack", Deed::nack, "The job failed: try it again later");
  add_duration(*nack, "--delay", command_.delay, "When; else the backoff of the queue");
  nack->add_option("--reason", command_.reason, "Why it failed");
  add_duration(*on_lease("extend", Deed::extend, "Keep the job for longer"), "--lease", command_.lease,
               "For how long from now; else as the queue says");
  add_duration(*on_lease("release", Deed::release, "Give the job back unharmed"), "--delay", command_.delay,
               "Ready only after it");
}

void QueueCommandLine::add_looking() {
  deed("list", Deed::list, "The queues");
  deed("stats", Deed::stats, "What a queue holds, counts, and is set to");
  deed("peek", Deed::peek, "The job that the next take would get");
  CLI::App* jobs = deed("jobs", Deed::jobs, "Jobs of one state in their order, without payloads");
  add_state(*jobs, command_.state)->capture_default_str();
  jobs->add_option("--first", command_.first, "Leave out so many")->capture_default_str()->type_name("N");
  jobs->add_option("--limit", command_.limit, "How many")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, queues::kMaxJobs))
      ->type_name("N");
  deed("show", Deed::show, "One job, and where it stands")->add_option("ID", command_.id, "The job's id")->required();
}

void QueueCommandLine::add_operating() {
  CLI::App* set = deed("set", Deed::set, "Set options of a queue; what is not named stays as it is");
  set->add_option_function<std::vector<std::string>>(
         "OPTION",
         [this](const std::vector<std::string>& texts) {
           for (const std::string& text : texts) {
             const std::size_t equals = text.find('=');
             command_.options.emplace_back(text.substr(0, equals), text.substr(equals + 1));
           }
         },
         "NAME=VALUE, like lease=2m maxAttempts=5")
      ->check(check_option)
      ->required();
  deed("pause", Deed::pause, "Hand out nothing");
  deed("resume", Deed::resume, "Hand out jobs again");
  add_state(*deed("purge", Deed::purge, "Drop all jobs of a state"), command_.state)->required();
  deed("retry-dead", Deed::retry_dead, "Make dead jobs ready, their attempts whole again")
      ->add_option("ID", command_.id, "Only this one");
  deed("remove", Deed::remove, "Drop a job, whatever its state")
      ->add_option("ID", command_.id, "The job's id")
      ->required();
}

void QueueCommandLine::add_schedules() {
  deed("schedules", Deed::schedules, "The schedules of a queue, and when each ticks next");
  CLI::App* schedule = deed("schedule", Deed::schedule, "Put a job in at each time of a cron expression");
  schedule->add_option("NAME", command_.schedule, "The schedule's name; one of it is replaced")->required();
  schedule->add_option("CRON", command_.cron, "Minute, hour, day, month, weekday, like '0 7 * * 1-5'")->required();
  schedule->add_option("PAYLOAD", command_.payload, "As JSON; none: null");
  schedule->add_option("--time-zone", command_.time_zone, "Of the IANA database, like Europe/Berlin")
      ->capture_default_str()
      ->type_name("ZONE");
  schedule->add_option("--priority", command_.priority, "Of its jobs, 0..9")->type_name("0..9");
  schedule->add_option("--max-attempts", command_.max_attempts, "Of its jobs")->type_name("N");
  deed("unschedule", Deed::unschedule, "Drop a schedule; jobs that it put in stay")
      ->add_option("NAME", command_.schedule, "The schedule's name")
      ->required();
}

std::optional<Command> QueueCommandLine::chosen() const {
  if (!queue_->parsed()) return std::nullopt;
  if (work_->parsed()) return work_command_;
  return command_;
}

}  // namespace scoreline::cli
