#include "queues/rate.h"

#include <cmath>

namespace scoreline::queues {
namespace {

constexpr double kForgetSeconds = 20;  // e^-3 of what was a minute ago is left

}  // namespace

void Rate::fold(Monotonic now) {
  const double seconds = static_cast<double>(now.ns - folded_.ns) / static_cast<double>(kSecond);
  if (seconds <= 0) return;
  const double kept = std::exp(-seconds / kForgetSeconds);
  average_ = average_ * kept + static_cast<double>(pending_) / seconds * (1 - kept);
  weight_ = weight_ * kept + (1 - kept);
  pending_ = 0;
  folded_ = now;
}

double Rate::per_second(Monotonic now) const {
  Rate until_now = *this;
  if (began_) until_now.fold(now);
  return until_now.weight_ > 0 ? until_now.average_ / until_now.weight_ : 0;
}

}  // namespace scoreline::queues
