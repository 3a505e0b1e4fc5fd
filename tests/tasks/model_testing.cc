#include "model_testing.h"

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace hearsay {
namespace {

template <typename Message>
Message Parse(const char* text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message));
  return message;
}

}  // namespace

int PointOf(const DesignSpace& space, const std::map<std::string, std::string>& values) {
  int point = 0;
  size_t found = 0;
  for (size_t k = 0; k < space.knobs.size(); ++k) {
    const auto wanted = values.find(space.knobs[k].name);
    if (wanted == values.end()) continue;
    for (size_t v = 0; v < space.knobs[k].values.size(); ++v) {
      if (space.knobs[k].values[v] != wanted->second) continue;
      point += static_cast<int>(v) * space.strides[k];
      ++found;
    }
  }
  EXPECT_EQ(found, values.size()) << "no such knob or value in " << space.Describe(0);
  return found == values.size() ? point : -1;
}

ProblemSpec TinyProblem() {
  return Parse<ProblemSpec>(R"(
    id: "p00" name: "tiny" family: "mlp_norm" dtype: "fp32" serial_steps: 1 recurrence_steps: 1
    parallel_units: 100 nominal_tile: 1 min_bytes: 2000000 element_bytes: 4 inner_elements: 64
    reduction_elements: 1 eager_precision: "fp32" numeric_risk: "medium" outputs: "float"
    stages { op: "a" flops: 1000000 bytes: 2000000 eager_launches: 2 serial_steps: 1 row_elements: 64 }
    stages { op: "b" bytes: 2000000 eager_launches: 1 serial_steps: 1 row_elements: 64 }
  )");
}

HardwareSpec TinyHardware() {
  return Parse<HardwareSpec>(R"(
    name: "tiny" sm_count: 100 clock_hz: 1e9 fp32_flops: 1e12 tensor_bf16_flops: 1e13
    special_ops: 1e12 hbm_bytes: 1e12 l2_bytes: 1e13 l2_size_bytes: 1000000
    shared_size_bytes: 200000 register_size_bytes: 262144 memory_latency_seconds: 1e-6
    launch_seconds: 1e-5 host_sync_seconds: 2e-5 max_vector_bytes: 16
  )");
}

DslSpec TinyDsl() {
  return Parse<DslSpec>(R"(
    name: "tiny" memory_efficiency: 1 simt_efficiency: 1
    instructions { hardware: "tiny" instruction: "simt" efficiency: 1 }
  )");
}

}  // namespace hearsay
