// What the tests of kb/ and of its readers share: directories, seeded random blocks, and small kbs
// that keep every requirement of docs/data-model.md.
#ifndef HEARSAY_TESTS_KB_KB_TESTING_H_
#define HEARSAY_TESTS_KB_KB_TESTING_H_

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "kb/block.h"
#include "kb/store.h"

namespace hearsay {

// A directory of its own under the test's temporary directory, removed with all it holds at the
// end.
class TempDir {
 public:
  TempDir();
  ~TempDir();
  TempDir(const TempDir&) = delete;
  TempDir& operator=(const TempDir&) = delete;
  const std::string& path() const { return path_; }
  std::string Sub(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Numbers from a seed, the same on every machine.
class TestRandom {
 public:
  explicit TestRandom(uint64_t seed) : engine_(seed) {}
  uint64_t Bits() { return engine_(); }
  // 0 to n - 1. REQUIRES: n > 0.
  int Below(int n) { return static_cast<int>(engine_() % static_cast<uint64_t>(n)); }
  bool OneIn(int n) { return Below(n) == 0; }

 private:
  std::mt19937_64 engine_;
};

// What a store holds, in memory, so that a test can change one thing before it is written.
struct KbContents {
  RunRecord run;
  std::vector<BaselineBlock> baselines;  // [index in run.problems]
  std::vector<RoundRecord> rounds;
  std::vector<std::vector<AttemptBlock>> blocks;  // [round], in key order
  // [round][index of block]: receivers of that block's lanes in the next round; empty for the last
  // round.
  std::vector<std::vector<std::vector<std::vector<uint32_t>>>> receivers;
};

enum class TestTopology { kRelay, kPool };

struct KbShape {
  int run = 1;
  std::vector<int> problems = {0, 70};  // indexes
  int lanes = 20;
  int rounds = 5;
  TestTopology topology = TestTopology::kRelay;
  bool claims_recorded = true;
};

// A run in which notes are read, copied, changed and merged as docs/data-model.md says; who does
// what is drawn from the seed. It is no simulation: outcomes have nothing to do with any landscape.
KbContents RandomContents(uint64_t seed, const KbShape& shape);

// Counts and digests of the round records, and the receivers, anew from the blocks.
void Summarise(KbContents* contents);

// Receivers of round `round`, as the next round's sources tell: [index of block][lane in block].
std::vector<std::vector<std::vector<uint32_t>>> ReceiversOf(const KbContents& contents, int round);

std::vector<EncodedBlock> EncodeRound(const KbContents& contents, int round);

// Writes all of it into `store`.
absl::Status WriteContents(const KbContents& contents, Store* store);

// The same into a new kb at `path`: relay or pool of `lanes` lanes and `rounds` rounds.
absl::Status BuildRandomKb(const std::string& path, uint64_t seed, int lanes, int rounds,
                           TestTopology topology);

// A block whose every column is drawn over the whole of what it can hold, rules of the model or
// not.
AttemptBlock RandomBlock(TestRandom* random, AttemptId first, int lanes, bool claims);

bool operator==(const NewClaim& a, const NewClaim& b);
bool operator==(const IntakeEntry& a, const IntakeEntry& b);
bool operator==(const AttemptBlock& a, const AttemptBlock& b);

}  // namespace hearsay

#endif  // HEARSAY_TESTS_KB_KB_TESTING_H_
