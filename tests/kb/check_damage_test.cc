#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kb/check.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Files damaged on disk: findings or an error that names the damage, never a crash, never silence.
TEST(CheckDamageTest, DamagedFilesAreFound) {
  const TempDir dir;
  const std::string kb = dir.Sub("kb");
  {
    const KbContents contents = RandomContents(17, {.lanes = 40, .rounds = 4});
    absl::StatusOr<std::unique_ptr<Store>> store =
        Store::Open(kb, Store::Mode::kWrite, {.ingest_threshold_bytes = 0});
    ASSERT_TRUE(store.ok() && WriteContents(contents, store->get()).ok());
  }
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(kb)) {
    if (entry.path().extension() == ".sst") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  ASSERT_FALSE(files.empty());
  TestRandom random(9);
  for (int trial = 0; trial < 40; ++trial) {
    const std::filesystem::path& file = files[random.Below(static_cast<int>(files.size()))];
    std::ifstream in(file, std::ios::binary);
    const std::string sound((std::istreambuf_iterator<char>(in)), {});
    in.close();
    std::string damaged = sound;
    if (random.OneIn(3)) {
      damaged.resize(random.Below(static_cast<int>(damaged.size())));
    } else {
      const int at = random.Below(static_cast<int>(damaged.size()));
      damaged[at] = static_cast<char>(damaged[at] ^ 1 << random.Below(8));
    }
    std::ofstream(file, std::ios::binary) << damaged;
    const absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(kb, Store::Mode::kRead);
    if (store.ok()) {
      const absl::StatusOr<CheckReport> report = CheckStore(**store, 10);
      // A bit in a part that is never read, such as unused properties, may go unnoticed; one in a
      // file cut short may not.
      if (damaged.size() < sound.size()) {
        EXPECT_TRUE(!report.ok() || report->finding_count > 0) << "trial " << trial;
      }
    } else {
      EXPECT_THAT(std::string(store.status().message()), HasSubstr(kb)) << "trial " << trial;
    }
    std::ofstream(file, std::ios::binary) << sound;
  }
  const absl::StatusOr<std::unique_ptr<Store>> store = Store::Open(kb, Store::Mode::kRead);
  ASSERT_TRUE(store.ok());
  EXPECT_THAT(CheckStore(**store, 10)->findings, IsEmpty());
}

}  // namespace
}  // namespace hearsay
