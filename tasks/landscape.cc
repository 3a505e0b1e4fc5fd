#include "tasks/landscape.h"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <mutex>
#include <thread>
#include <utility>

#include "tasks/catalogue.h"
#include "tasks/difficulty.h"
#include "tasks/digest.h"
#include "tasks/gpu_model.h"

namespace hearsay {
namespace {

// Best speed with each value in one pass; without a value is the best of the knob's other values.
void FillBest(const std::vector<Entry>& entries, World& world) {
  for (int k = 0; k < kMaxKnobs; ++k) {
    std::fill_n(world.best_with_lg[k], kMaxValues, kNoSpeed);
    std::fill_n(world.best_without_lg[k], kMaxValues, kNoSpeed);
  }
  world.best_lg = kNoSpeed;
  int value[kMaxKnobs] = {};
  for (const Entry entry : entries) {
    if (entry.ok()) {
      const auto speed = static_cast<int16_t>(entry.speed_lg());
      world.best_lg = std::max(world.best_lg, speed);
      for (int k = 0; k < world.knob_count; ++k) {
        // What moves nothing has no kernel, so it speaks for no value but the trivial one.
        int16_t& best = world.best_with_lg[k][value[0] == 0 ? 0 : value[k]];
        best = std::max(best, speed);
      }
    }
    // Counts in mixed radix along with the points.
    for (int k = 0; k < world.knob_count && ++value[k] == world.value_count[k]; ++k) value[k] = 0;
  }
  for (int k = 0; k < world.knob_count; ++k) {
    for (int v = 0; v < world.value_count[k]; ++v) {
      for (int other = 0; other < world.value_count[k]; ++other) {
        if (other == v) continue;
        world.best_without_lg[k][v] =
            std::max(world.best_without_lg[k][v], world.best_with_lg[k][other]);
      }
    }
  }
}

class ModelledAtlas : public Atlas {
 public:
  explicit ModelledAtlas(const HardwareSpec& hardware)
      : hardware_(hardware), slots_(ProblemCount() * kDslCount) {}

  const Landscape& Get(int problem_index, Dsl dsl) override {
    Slot& slot = slots_[problem_index * kDslCount + static_cast<int>(dsl)];
    std::call_once(slot.once, [&] { slot.landscape = Model(problem_index, dsl); });
    return *slot.landscape;
  }

  void Prepare(const std::vector<int>& problem_indexes, int threads) override {
    std::atomic<size_t> next{0};
    const auto work = [&] {
      for (size_t i = next++; i < problem_indexes.size() * kDslCount; i = next++) {
        Get(problem_indexes[i / kDslCount], static_cast<Dsl>(i % kDslCount));
      }
    };
    std::vector<std::thread> workers;
    for (int t = 1; t < threads; ++t) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
  }

  uint64_t Digest(const std::vector<int>& problem_indexes) override {
    uint64_t sum = 0;
    for (int problem : problem_indexes) {
      for (int d = 0; d < kDslCount; ++d) {
        sum += LandscapeDigest(problem, Get(problem, static_cast<Dsl>(d)));
      }
    }
    return sum;
  }

 private:
  struct Slot {
    std::once_flag once;
    std::unique_ptr<Landscape> landscape;
  };

  std::unique_ptr<Landscape> Model(int problem_index, Dsl dsl) const {
    const ProblemSpec& problem = Problems()[problem_index];
    const DesignPlan& plan = DesignPlanOf(problem_index);
    const DslSpec& spec = DslSpecOf(dsl);
    uint8_t difficulty[kMaxKnobs][kMaxValues];
    FillDifficulty(problem, plan, spec, difficulty);
    return std::make_unique<Landscape>(plan.space, dsl, LandscapeSource::kModelled,
                                       GpuModel(problem, plan, hardware_, spec).Entries(),
                                       difficulty);
  }

  static uint64_t LandscapeDigest(int problem, const Landscape& landscape) {
    const World& world = landscape.world();
    AttemptDigest digest(0, problem, static_cast<uint32_t>(landscape.dsl()));
    for (int k = 0; k < kMaxKnobs; ++k) {
      digest.Add(uint64_t{world.value_count[k]} << 8 | static_cast<uint64_t>(world.kind[k]));
      uint64_t row;
      static_assert(sizeof(row) == sizeof(world.difficulty[k]));
      memcpy(&row, world.difficulty[k], sizeof(row));
      digest.Add(row);
    }
    for (const Entry entry : landscape.entries()) {
      digest.Add(static_cast<uint16_t>(entry.code));
    }
    return digest.Finish();
  }

  const HardwareSpec& hardware_;
  std::vector<Slot> slots_;
};

}  // namespace

Landscape::Landscape(const DesignSpace& space, Dsl dsl, LandscapeSource source,
                     std::vector<Entry> entries, const uint8_t difficulty[kMaxKnobs][kMaxValues])
    : dsl_(dsl), source_(source), entries_(std::move(entries)), world_() {
  assert(static_cast<int>(entries_.size()) == space.point_count());
  assert(entries_[0].ok() && entries_[0].speed_lg() == 0);
  world_.knob_count = static_cast<int32_t>(space.knobs.size());
  world_.point_count = static_cast<int32_t>(entries_.size());
  for (int k = 0; k < kMaxKnobs; ++k) {
    const bool used = k < world_.knob_count;
    world_.value_count[k] = used ? static_cast<uint8_t>(space.knobs[k].values.size()) : 1;
    world_.kind[k] = used ? space.knobs[k].kind : KnobKind::kMove;
    world_.stride[k] = used ? static_cast<uint16_t>(space.strides[k]) : 0;
    std::copy_n(difficulty[k], kMaxValues, world_.difficulty[k]);
  }
  FillBest(entries_, world_);
  world_.entries = entries_.data();
}

absl::StatusOr<std::unique_ptr<Atlas>> Atlas::Create(absl::string_view hardware) {
  const absl::StatusOr<const HardwareSpec*> spec = FindHardware(hardware);
  if (!spec.ok()) return spec.status();
  return std::unique_ptr<Atlas>(new ModelledAtlas(**spec));
}

}  // namespace hearsay
