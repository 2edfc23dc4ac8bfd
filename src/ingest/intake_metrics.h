// What became of messages: how long they took, and how many were put aside.
//
// Thread safety: any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/timestamp.h"
#include "ingest/message_source.h"

namespace prometheus {
class Counter;
class Histogram;
class Registry;
template <typename Metric>
class Family;
}  // namespace prometheus

namespace scoreline::ingest {

class IntakeMetrics {
 public:
  /// `registry` must outlive it.
  IntakeMetrics(prometheus::Registry& registry, const std::string& group);

  /// The result in `message` is on its board at `now`.
  void count_visible(const Message& message, Timestamp now);
  /// `reason`: the name of an error's code.
  void count_dead_letter(std::string_view reason);

 private:
  prometheus::Histogram& event_to_visible_;
  prometheus::Family<prometheus::Counter>& dead_letters_;
};

}  // namespace scoreline::ingest
