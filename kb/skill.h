// Notes as SKILL.md files in the agentskills format: YAML front matter, then Markdown. Provenance
// stands in the front matter's metadata; every claim is one list item that a person can read and a
// program can read back (docs/formats.md, "SKILL.md").
#ifndef HEARSAY_KB_SKILL_H_
#define HEARSAY_KB_SKILL_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "kb/store.h"

namespace hearsay {

struct SkillNote {
  AttemptId attempt;  // who wrote it
  int problem = 0;    // index
  Dsl dsl = Dsl::kCute;
  std::string agent;
  std::vector<AttemptId> sources;
  std::vector<NotedClaim> claims;
};

std::string RenderSkill(const SkillNote& note);

// The inverse of RenderSkill; text in the body that is no claim item is passed over, as a person
// may add some. Errors: kInvalidArgument "line N: ..." with the offending text.
absl::StatusOr<SkillNote> ParseSkill(absl::string_view text);

// What a claim says, without how sure it is and why: "tile=128: not worth it".
std::string StatementInWords(int problem, Claim claim);
// A claim in words: "tile=128: not worth it (hedged, confidence 9, effect -0.5 doublings ...)".
std::string ClaimInWords(int problem, Claim claim);

}  // namespace hearsay

#endif  // HEARSAY_KB_SKILL_H_
