// What the tests of rounds/ share: kbs in a directory of their own, plans, and what is asked of
// runs.
#ifndef HEARSAY_TESTS_ROUNDS_ROUNDS_TESTING_H_
#define HEARSAY_TESTS_ROUNDS_ROUNDS_TESTING_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "kb/store.h"
#include "rounds/plan.pb.h"

namespace hearsay {

class KbTest : public ::testing::Test {
 protected:
  void SetUp() override;
  void TearDown() override { std::filesystem::remove_all(dir_); }
  // For writing; made where there is none.
  std::unique_ptr<Store> OpenKb(const std::string& name) const;

  std::filesystem::path dir_;
};

// The complete plan of a text.
Plan PlanOf(const std::string& text);

// Executes `plan` with one thread into `store`.
RunRecord Execute(const Plan& plan, Store* store);

// Of the committed rounds of a run.
std::vector<uint64_t> Digests(const Store& store, int run);

// The integrity check finds nothing.
void ExpectHealthy(const Store& store);

}  // namespace hearsay

#endif  // HEARSAY_TESTS_ROUNDS_ROUNDS_TESTING_H_
