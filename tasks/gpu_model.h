// The analytical model: what a design point of a problem takes on a GPU, and how it fails.
//
// docs/model.md gives the formulas and what is doubtful about them. Only + - * / and comparisons of
// doubles, and integers: every x86-64 machine computes the same bits.
#ifndef HEARSAY_TASKS_GPU_MODEL_H_
#define HEARSAY_TASKS_GPU_MODEL_H_

#include <cstdint>
#include <vector>

#include "tasks/claim.h"
#include "tasks/design_plan.h"
#include "tasks/problem.pb.h"
#include "tasks/world.h"

namespace hearsay {

// Slower than eager by more than this, or longer than this alone, and an evaluation is cut off.
inline constexpr double kTimeoutFactor = 16;
inline constexpr double kTimeoutSeconds = 9;

// What a group of stages in one kernel, or a whole point, comes to. Seconds and bytes are set only
// where `status` is kOk or kTimeout.
struct Cost {
  Status status = Status::kOk;
  double seconds = 0;         // all of it
  double launch_seconds = 0;  // launches and synchronisations, hidden or not
  double memory_seconds = 0;
  double compute_seconds = 0;
  double latency_seconds = 0;  // of waves of blocks and of the dependent steps of a recurrence
  double bytes = 0;            // to and from HBM
  double launches = 0;
};

// The model of one problem in one DSL on one kind of hardware. Borrows nothing but `plan`, which
// must outlive it. Immutable; thread safe.
class GpuModel {
 public:
  // REQUIRES: `plan` was made of `problem`.
  GpuModel(const ProblemSpec& problem, const DesignPlan& plan, const HardwareSpec& hardware,
           const DslSpec& dsl);

  double EagerSeconds() const { return eager_seconds_; }

  // The moved part of a point group by group and its eager part, added up. The slow way: every
  // group is computed anew.
  Cost PointCost(int point) const;

  // The whole landscape: entry of point p is LgRatio of eager's to p's picoseconds, or p's status.
  // Each distinct group is computed once for each setting of the other knobs.
  std::vector<Entry> Entries() const;

 private:
  // A stage with what follows from its neighbours.
  struct Stage {
    double flops;        // of needed work
    double work_factor;  // without skipping
    double special_ops;
    // Bytes by which edges are fused: [left + 2 * right].
    double bytes[4];
    bool matrix_product, grid_wide, reduces_rows;
    bool recurrent;  // each of its steps needs the one before
    int serial_steps;
    int loop_mask;  // stages of the loop it sits in, itself included; 0 outside loops
    // A stage of the same loop, or itself, whose rewrite cuts the recurrence into chunks; -1: none.
    int chunking_stage;
    int rewrite_knob;            // -1: no rewrite, or one that is taken for granted
    const RewriteSpec* rewrite;  // of the catalogue, or null
    double row_elements;
    double accumulator_columns;
    double eager_seconds, sync_seconds;
  };
  struct Group {
    int first, last;
    int left_mask;  // stages in loops of which a part stays in eager

    friend bool operator==(const Group&, const Group&) = default;
  };
  // The knobs besides move and fuse, as their parameters.
  struct Settings {
    int tile = 1, vector_elements = 1, pipeline = 1, split = 1;
    Instruction instruction = Instruction::kSimt;
    Precision precision = Precision::kFp32;
    bool skips = false;
    int rewrite[kMaxKnobs] = {};  // parameter of each rewrite knob
  };

  Settings SettingsOf(int point) const;
  std::vector<Group> GroupsOf(int move_mask, int fuse_mask) const;
  Cost GroupCost(const Group& group, const Settings& settings) const;
  // Parts of GroupCost.
  bool RewriteOn(const Stage& stage, const Settings& settings) const;
  // Parameter of the stage's rewrite, 0 where it is off.
  int RewriteParameter(const Stage& stage, const Settings& settings) const;
  // Length of the chunks the stage's recurrence is cut into, 0 where it runs step by step.
  int ChunkOf(const Stage& stage, const Settings& settings) const;
  int SplitOf(const Group& group, const Settings& settings) const;
  bool Unavailable(const Group& group, const Settings& settings) const;
  double SharedBytes(const Group& group, const Settings& settings) const;
  double RegisterBytes(const Group& group, const Settings& settings) const;
  int ErrorSteps(const Group& group, const Settings& settings) const;
  Status StatusOf(const Group& group, const Settings& settings) const;
  double Turns(const Group& group, const Settings& settings) const;
  double RecurrenceSeconds(const Group& group, const Settings& settings) const;
  double MatrixRate(const Stage& stage, const Settings& settings) const;
  Entry EntryOf(Status status, double seconds) const;

  const DesignPlan& plan_;
  std::vector<Stage> stages_;
  double eager_seconds_ = 0;
  uint64_t eager_picoseconds_ = 0;

  // Of the problem.
  bool integers_, quantised_;
  int tolerance_steps_;
  double parallel_units_, nominal_tile_;
  int element_bytes_;
  int64_t inner_elements_, reduction_elements_;
  int recurrence_steps_;
  std::string dtype_;
  // Of the hardware and the DSL.
  HardwareSpec hardware_;
  double memory_efficiency_, simt_efficiency_, data_dependent_saving_;
  double instruction_efficiency_[kInstructionCount] = {};  // 0: there is none
  // Knobs by kind, -1 where the space has none.
  int tile_knob_, vector_knob_, pipeline_knob_, instruction_knob_, precision_knob_, split_knob_;
  int skip_knob_ = -1;
};

}  // namespace hearsay

#endif  // HEARSAY_TASKS_GPU_MODEL_H_
