#include "cli/queue_command_line.h"

#include "cli/command_options.h"
#include "queues/limits.h"

namespace scoreline::cli {
namespace {

constexpr unsigned kMaxConcurrency = 256;

void add_duration(CLI::App& app, const char* flag, std::optional<std::string>& target, const char* help) {
  app.add_option(flag, target, help)->type_name("SPAN");
}

void add_job_settings(CLI::App& app, QueueCommand& command) {
  app.add_option("--priority", command.priority, "0 goes first, 9 last")
      ->check(CLI::Range(0, queues::kPriorities - 1))
      ->capture_default_str()
      ->type_name("N");
  app.add_option("--max-attempts", command.max_attempts, "How often it is tried (default: as the queue says)")
      ->check(CLI::Range(1, queues::kMaxAttempts))
      ->type_name("N");
}

}  // namespace

QueueCommandLine::QueueCommandLine(CLI::App& app) {
  queue_ = app.add_subcommand("queue", "Put jobs into queues, take them, work on them, look after them");
  queue_->footer(
      "Examples:\n"
      "  scoreline queue push mail '{\"to\":\"alice\"}' --priority 0 --server http://127.0.0.1:8080\n"
      "  scoreline queue work mail --concurrency 4 --server http://127.0.0.1:8080 -- ./send-mail\n"
      "  scoreline queue stats --server http://127.0.0.1:8080\n"
      "  scoreline queue schedule mail digest '0 7 * * *' --time-zone Europe/Berlin --data DIR");
  queue_->require_subcommand(1);
  queue_->fallthrough();
  add_putting_in();
  add_handing_out();
  add_operating();
  add_work();
}

CLI::App* QueueCommandLine::add(const char* name, Deed deed, const char* help) {
  CLI::App* sub = queue_->add_subcommand(name, help);
  sub->callback([this, deed] { command_.deed = deed; });
  auto* queue = sub->add_option("QUEUE", command_.queue, "The queue's name");
  if (deed != Deed::stats) queue->required();
  return sub;
}

CLI::App* QueueCommandLine::add_of_job(const char* name, Deed deed, const char* help) {
  CLI::App* sub = add(name, deed, help);
  auto* id = sub->add_option("ID", command_.id, "The job's id");
  if (deed != Deed::retry_dead) id->required();
  return sub;
}

CLI::App* QueueCommandLine::add_of_lease(const char* name, Deed deed, const char* help) {
  CLI::App* sub = add_of_job(name, deed, help);
  sub->add_option("RECEIPT", command_.receipt, "That of its lease")->required();
  return sub;
}

void QueueCommandLine::add_putting_in() {
  CLI::App* push = add("push", Deed::push, "Enqueue a job");
  auto* payload = push->add_option("PAYLOAD", command_.payload, "What it carries; - is standard input");
  push->add_flag("--lines", command_.lines, "Each line of standard input is the payload of a job")->excludes(payload);
  push->add_option("--id", command_.id, "Enqueued once while it lives (default: a new one)")->type_name("ID");
  add_job_settings(*push, command_);
  add_duration(*push, "--delay", command_.delay, "Not before so long from now, like 5m");
  add_time(*push, "--run-at", command_.run_at, "Not before then");
  CLI::App* schedule = add("schedule", Deed::schedule, "Enqueue a job at each time of a cron expression");
  schedule->add_option("NAME", command_.schedule, "The schedule's name")->required();
  schedule->add_option("CRON", command_.cron, "Minute, hour, day, month, weekday: '0 7 * * *'")->required();
  schedule->add_option("PAYLOAD", command_.payload, "What each job carries, as JSON");
  schedule->add_option("--time-zone", command_.time_zone, "Of the IANA database")->capture_default_str();
  add_job_settings(*schedule, command_);
  add("schedules", Deed::schedules, "List the schedules of a queue");
  add("unschedule", Deed::unschedule, "Drop a schedule")
      ->add_option("NAME", command_.schedule, "The schedule's name")
      ->required();
}

void QueueCommandLine::add_handing_out() {
  CLI::App* take = add("take", Deed::take, "Take jobs under a lease");
  take->add_option("--max", command_.max, "How many")
      ->check(CLI::Range(1, static_cast<int>(queues::kMaxJobs)))
      ->capture_default_str()
      ->type_name("N");
  add_duration(*take, "--wait", command_.wait, "For the first one, like 10s");
  add_duration(*take, "--lease", command_.lease, "For how long they are held (default: as the queue says)");
  add("poll", Deed::poll, "Take a job and forget it");
  add_of_lease("ack", Deed::ack, "A job is done");
  CLI::App* nack = add_of_lease("nack", Deed::nack, "A job has failed");
  add_duration(*nack, "--delay", command_.delay, "Try again after it (default: the queue's backoff)");
  nack->add_option("--reason", command_.reason, "Kept with the job");
  add_duration(*add_of_lease("extend", Deed::extend, "Hold a job for longer"), "--lease", command_.lease,
               "From now on");
  add_duration(*add_of_lease("release", Deed::release, "Give a job back; no attempt is counted"), "--delay",
               command_.delay, "Not before so long from now");
}

void QueueCommandLine::add_operating() {
  add("stats", Deed::stats, "What queues hold and how fast they go; without a name, all");
  CLI::App* list = add("list", Deed::list, "List jobs of one state");
  list->add_option("--state", command_.state, "ready, delayed, leased, dead or done")->capture_default_str();
  list->add_option("--first", command_.first, "From this place on")->check(CLI::NonNegativeNumber)->type_name("N");
  list->add_option("--limit", command_.limit, "How many")
      ->check(CLI::Range(1, static_cast<int>(queues::kMaxJobs)))
      ->capture_default_str()
      ->type_name("N");
  add_of_job("show", Deed::show, "Show a job, and where it stands");
  add("peek", Deed::peek, "Show the next job");
  add_of_job("remove", Deed::remove, "Drop a job");
  add("pause", Deed::pause, "Hand out nothing");
  add("resume", Deed::resume, "Hand out jobs again");
  add("purge", Deed::purge, "Drop all jobs of a state")
      ->add_option("--state", command_.state, "ready, delayed, leased, dead or done")
      ->required();
  add_of_job("retry-dead", Deed::retry_dead, "Make dead jobs ready: one, or all");
  add("set", Deed::set, "Set options of a queue, like maxAttempts=5 lease=2m; without any, show them")
      ->add_option("OPTION", command_.options, "name=value");
}

void QueueCommandLine::add_work() {
  work_ = queue_->add_subcommand("work", "Run a command for each job: exit 0 acks it, anything else nacks it");
  work_->add_option("QUEUE", work_command_.queue, "The queue's name")->required();
  work_->add_option("--concurrency", work_command_.concurrency, "So many at once")
      ->check(CLI::Range(1U, kMaxConcurrency))
      ->capture_default_str()
      ->type_name("N");
  work_->add_option("--lease", work_command_.lease, "Extended while the command runs")
      ->capture_default_str()
      ->type_name("SPAN");
  work_->add_option("COMMAND", work_command_.command, "Behind --: the program and its arguments")->required();
}

std::optional<Command> QueueCommandLine::chosen() const {
  if (!queue_->parsed()) return std::nullopt;
  if (work_->parsed()) return work_command_;
  return command_;
}

}  // namespace scoreline::cli
