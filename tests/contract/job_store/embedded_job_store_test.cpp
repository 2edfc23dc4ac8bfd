#include "queues/embedded_job_store.h"

#include "contract/job_store/job_store_contract.h"

namespace scoreline::queues {
namespace {

class InMemory final : public JobStoreHarness {
 public:
  JobStore& store() override { return store_; }

 private:
  SystemClock clock_;
  SeededRandom random_{system_seed()};
  EmbeddedJobStore store_{nullptr, clock_, random_};
};

INSTANTIATE_TEST_SUITE_P(Embedded, JobStoreContract,
                         ::testing::Values(JobStoreMaker{"memory", [] { return std::make_unique<InMemory>(); }}),
                         [](const auto& made) { return made.param.name; });

}  // namespace
}  // namespace scoreline::queues
