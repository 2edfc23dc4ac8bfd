#include "http/queue_metrics.h"

#include <fmt/format.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace scoreline::http {
namespace {

using queues::JobStore;
using queues::QueueStats;

constexpr std::string_view kUp =
    "# HELP scoreline_queues_up 1 while the jobs can be asked.\n# TYPE scoreline_queues_up gauge\n";

/// A family of lines: its values of one queue, with the labels beside the queue's name.
struct Family {
  std::string_view name, type, help;
  struct Value {
    std::string_view labels;
    double value;
  };
  std::vector<Value> (*values)(const QueueStats& stats);
};

template <std::uint64_t QueueStats::*count>
std::vector<Family::Value> counted(const QueueStats& stats) {
  return {{"", static_cast<double>(stats.*count)}};
}

constexpr Family kFamilies[] = {
    {"scoreline_queue_jobs", "gauge", "Jobs of a queue, by state.",
     [](const QueueStats& stats) -> std::vector<Family::Value> {
       return {{R"(,state="ready")", static_cast<double>(stats.ready)},
               {R"(,state="delayed")", static_cast<double>(stats.delayed)},
               {R"(,state="leased")", static_cast<double>(stats.leased)},
               {R"(,state="dead")", static_cast<double>(stats.dead)},
               {R"(,state="done")", static_cast<double>(stats.done)}};
     }},
    {"scoreline_queue_oldest_ready_seconds", "gauge", "For how long the oldest ready job has been ready.",
     [](const QueueStats& stats) -> std::vector<Family::Value> {
       return {{"", static_cast<double>(stats.oldest_ready.count()) / 1e3}};
     }},
    {"scoreline_queue_paused", "gauge", "1 while the queue hands out nothing.",
     [](const QueueStats& stats) -> std::vector<Family::Value> {
       return {{"", stats.paused ? 1.0 : 0.0}};
     }},
    {"scoreline_queue_memory_bytes", "gauge", "All of the queue, payloads too.", counted<&QueueStats::memory_bytes>},
    {"scoreline_queue_enqueued_total", "counter", "Jobs put in.", counted<&QueueStats::enqueued>},
    {"scoreline_queue_duplicates_total", "counter", "Jobs whose id was there already.",
     counted<&QueueStats::duplicates>},
    {"scoreline_queue_taken_total", "counter", "Jobs handed out.", counted<&QueueStats::taken>},
    {"scoreline_queue_acked_total", "counter", "Jobs acknowledged.", counted<&QueueStats::acked>},
    {"scoreline_queue_nacked_total", "counter", "Jobs given back as failed.", counted<&QueueStats::nacked>},
    {"scoreline_queue_leases_expired_total", "counter", "Leases that ran out.", counted<&QueueStats::crashed>},
    {"scoreline_queue_died_total", "counter", "Jobs that failed as often as they may.", counted<&QueueStats::died>},
    {"scoreline_queue_dead_dropped_total", "counter", "Dead jobs dropped, as too many or as too old.",
     [](const QueueStats& stats) -> std::vector<Family::Value> {
       return {{R"(,reason="count")", static_cast<double>(stats.dead_evicted)},
               {R"(,reason="age")", static_cast<double>(stats.dead_expired)}};
     }},
};

/// The answers that are still to come, and the lines when all are there.
struct Collection {
  std::vector<std::string> names;
  std::vector<std::optional<QueueStats>> stats;  // of each; none of a queue that has gone meanwhile
  std::atomic<std::size_t> open;
  std::function<void(const std::string&)> done;

  std::string lines() const {
    std::string out = std::string(kUp) + "scoreline_queues_up 1\n";
    for (const Family& family : kFamilies) {
      out += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", family.name, family.help, family.type);
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (!stats[i]) continue;
        for (const auto& [labels, value] : family.values(*stats[i])) {
          out += fmt::format("{}{{queue=\"{}\"{}}} {}\n", family.name, names[i], labels, value);
        }
      }
    }
    return out;
  }
};

}  // namespace

void queue_metrics(JobStore& store, std::function<void(const std::string& lines)> done) {
  store.queues([&store, done = std::move(done)](Result<std::vector<std::string>> names) {
    if (!names) {
      done(std::string(kUp) + "scoreline_queues_up 0\n");
      return;
    }
    const auto all = std::make_shared<Collection>();
    all->names = *std::move(names);
    all->stats.resize(all->names.size());
    all->open = all->names.size() + 1;  // and this call, so that none is the last before all are asked
    all->done = done;
    const auto one_less = [all] {
      if (all->open.fetch_sub(1) == 1) all->done(all->lines());
    };
    for (std::size_t i = 0; i < all->names.size(); ++i) {
      store.stats(all->names[i], [all, i, one_less](const Result<QueueStats>& stats) {
        if (stats) all->stats[i] = *stats;
        one_less();
      });
    }
    one_less();
  });
}

}  // namespace scoreline::http
