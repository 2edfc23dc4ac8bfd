#include "ingest/intake_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <algorithm>

namespace scoreline::ingest {
namespace {

/// Seconds. The aim is a second, so the buckets are closest below it.
const prometheus::Histogram::BucketBoundaries kDelays{0.005, 0.01, 0.02, 0.03, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5,
                                                      0.75,  1,    1.5,  2,    3,    5,     10,  30,   60,  300, 3600};

}  // namespace

IntakeMetrics::IntakeMetrics(prometheus::Registry& registry, const std::string& group)
    : event_to_visible_(prometheus::BuildHistogram()
                            .Name("scoreline_event_to_visible_seconds")
                            .Help("From a message's timestamp until its result is on the board.")
                            .Register(registry)
                            .Add({{"group", group}}, kDelays)),
      dead_letters_(prometheus::BuildCounter()
                        .Name("scoreline_dead_letters_total")
                        .Help("Messages put aside, by the code of the reason.")
                        .Register(registry)) {}

void IntakeMetrics::count_visible(const Message& message, Timestamp now) {
  if (!message.sent_at) return;
  const std::int64_t ms = std::max<std::int64_t>(0, now.ms - message.sent_at->ms);  // clocks differ
  event_to_visible_.Observe(static_cast<double>(ms) / 1e3);
}

void IntakeMetrics::count_dead_letter(std::string_view reason) {
  dead_letters_.Add({{"reason", std::string(reason)}}).Increment();
}

}  // namespace scoreline::ingest
