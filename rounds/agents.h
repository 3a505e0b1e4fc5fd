// Agent profiles as data: the built-in ones and those a plan brings along.
#ifndef HEARSAY_ROUNDS_AGENTS_H_
#define HEARSAY_ROUNDS_AGENTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "executor/agent.h"
#include "rounds/plan.pb.h"

namespace hearsay {

// The text of rounds/data/agents.textproto, built into the library.
extern const char kBuiltInAgentsText[];

// The built-in agents, in the order of the file. Parsed once; thread safe.
const std::vector<AgentSpec>& BuiltInAgents();

// Whether a plan may bring these agents along. Errors: kInvalidArgument naming the agent: no name,
// one that is not UTF-8 or has control characters, two of one name.
absl::Status CheckAgentSpecs(const std::vector<AgentSpec>& own);

// The profile of agent `name`: one of `own`, which come first, or a built-in one.
// Errors: kInvalidArgument naming the agent, the field and the value: no such agent (with the
// nearest name), a base that is not built in, a chance outside 0 to 1, a capacity or pace out of
// range.
absl::StatusOr<AgentProfile> FindAgent(absl::string_view name, const std::vector<AgentSpec>& own);

}  // namespace hearsay

#endif  // HEARSAY_ROUNDS_AGENTS_H_
