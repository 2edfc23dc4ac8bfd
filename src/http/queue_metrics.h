// What /metrics tells of job queues.
#pragma once

#include <functional>
#include <string>

#include "queues/job_store.h"

namespace scoreline::http {

/// Asks for the stats of every queue, and hands over their lines in Prometheus's text format. `done` is called once,
/// here or later on a thread of the store. While the store cannot be asked, the lines say that and no more.
void queue_metrics(queues::JobStore& store, std::function<void(const std::string& lines)> done);

}  // namespace scoreline::http
