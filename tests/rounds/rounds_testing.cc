#include "tests/rounds/rounds_testing.h"

#include <unistd.h>

#include <utility>

#include "kb/check.h"
#include "rounds/engine.h"
#include "rounds/plan.h"

namespace hearsay {

void KbTest::SetUp() {
  const ::testing::TestInfo* const test = ::testing::UnitTest::GetInstance()->current_test_info();
  dir_ = std::filesystem::temp_directory_path() /
         ("hearsay_rounds_" + std::to_string(::getpid()) + "_" + test->name());
  std::filesystem::remove_all(dir_);
  std::filesystem::create_directories(dir_);
}

std::unique_ptr<Store> KbTest::OpenKb(const std::string& name) const {
  auto store = Store::Open((dir_ / name).string(), Store::Mode::kWrite);
  EXPECT_TRUE(store.ok()) << store.status();
  return *std::move(store);
}

Plan PlanOf(const std::string& text) {
  auto plan = ParsePlan(text, "test");
  EXPECT_TRUE(plan.ok()) << plan.status();
  EXPECT_TRUE(CompletePlan(&*plan).ok());
  return *plan;
}

RunRecord Execute(const Plan& plan, Store* store) {
  const auto run = ExecutePlan(plan, RunOptions(), store);
  EXPECT_TRUE(run.ok()) << run.status();
  return *run;
}

std::vector<uint64_t> Digests(const Store& store, int run) {
  std::vector<uint64_t> digests;
  const auto rounds = store.Rounds(run);
  EXPECT_TRUE(rounds.ok()) << rounds.status();
  for (const RoundRecord& round : *rounds) digests.push_back(round.digest());
  return digests;
}

void ExpectHealthy(const Store& store) {
  const auto report = CheckStore(store, 5);
  ASSERT_TRUE(report.ok()) << report.status();
  for (const Finding& finding : report->findings) {
    ADD_FAILURE() << "requirement " << finding.requirement << " at " << finding.where << ": "
                  << finding.problem;
  }
}

}  // namespace hearsay
