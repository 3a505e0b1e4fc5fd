#include "kb/skill.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "kb/skill_format.h"
#include "tasks/design_space.h"
#include "tasks/problems.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

struct Section {
  absl::string_view heading;
  std::vector<Stance> stances;
};

const std::vector<Section>& Sections() {
  static const auto* const sections = new std::vector<Section>{
      {"What is known", {Stance::kFact}},
      {"What works", {Stance::kUse}},
      {"What to avoid", {Stance::kInfeasible, Stance::kNotWorthIt}},
      {"What is open", {Stance::kOpen}},
  };
  return *sections;
}

std::string Spaced(absl::string_view name) { return absl::StrReplaceAll(name, {{"_", " "}}); }

// What a claim is about: "tile=128", "tile", or "the workload".
std::string Subject(int problem, Claim claim) {
  if (claim.knob() == kNoSubject) return "the workload";
  const std::vector<Knob>& knobs = DesignSpaceOf(problem).knobs;
  // A damaged claim is shown by numbers: whoever looks for the damage needs to see it.
  const bool known = claim.knob() < static_cast<int>(knobs.size());
  const std::string knob = known ? knobs[claim.knob()].name : absl::StrCat("knob ", claim.knob());
  if (claim.value() == kNoSubject) return knob;
  if (!known || claim.value() >= static_cast<int>(knobs[claim.knob()].values.size())) {
    return absl::StrCat(knob, "=value ", claim.value());
  }
  return absl::StrCat(knob, "=", knobs[claim.knob()].values[claim.value()]);
}

std::string Advice(Claim claim) {
  switch (claim.stance()) {
    case Stance::kUse:
      return "use it";
    case Stance::kInfeasible:
      return "cannot work";
    case Stance::kNotWorthIt:
      return "not worth it";
    case Stance::kOpen:
      return "unsettled";
    case Stance::kFact:
      return Spaced(Name(claim.label()));
  }
  return absl::StrCat("stance ", static_cast<int>(claim.stance()));
}

std::string LabelWords(Label label) {
  if (static_cast<int>(label) < kLabelCount) return Spaced(Name(label));
  return absl::StrCat("label ", static_cast<int>(label));
}

// The line of a claim for programs. Everything stands in it, so that the words before it may be
// rewritten by a person without changing what is claimed.
std::string MachinePart(const NotedClaim& noted, size_t slot) {
  const Claim c = noted.claim;
  return absl::StrFormat(
      "%s%s slot=%d knob=%d value=%d label=%s stance=%s dsl=%s general=%d hedged=%d confidence=%d "
      "effect=%d support=%d against=%d stamp=%d%s",
      kClaimOpen, noted.id.none() ? std::string(kNoClaimId) : Format(noted.id), slot, c.knob(),
      c.value(), std::string(Name(c.label())), std::string(Name(c.stance())),
      std::string(Name(c.dsl())), c.general(), c.hedged(), c.confidence(), c.effect_eighths(),
      c.support(), c.against(), c.stamp_round(), kClaimClose);
}

// "p71-cute-r3-r17-l42": letters, digits and single hyphens, far below 64.
std::string SkillName(const SkillNote& note) {
  std::string name = absl::StrCat(FormatProblem(note.problem), "-", Name(note.dsl));
  if (note.attempt.value != 0) {
    absl::StrAppend(&name, "-r", note.attempt.run(), "-r", note.attempt.round(), "-l",
                    note.attempt.lane());
  }
  return name;
}

std::string Description(const SkillNote& note) {
  size_t closures = 0, hedged = 0;
  for (const NotedClaim& noted : note.claims) {
    closures += noted.claim.is_closure();
    hedged += noted.claim.hedged();
  }
  return absl::StrFormat(
      "Notes on kernel problem %s in %s: %d claims, %d of them advise against an option, %d are "
      "hedged. Use when writing a kernel for this problem.",
      FormatProblem(note.problem), std::string(Name(note.dsl)), note.claims.size(), closures,
      hedged);
}

}  // namespace

std::string Quoted(absl::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      absl::StrAppend(&quoted, "\\", absl::string_view(&c, 1));
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      absl::StrAppendFormat(&quoted, "\\x%02x", static_cast<unsigned char>(c));
    } else {
      quoted.push_back(c);
    }
  }
  return quoted + "\"";
}

std::string StatementInWords(int problem, Claim claim) {
  return absl::StrCat(Subject(problem, claim), ": ", Advice(claim));
}

std::string ClaimInWords(int problem, Claim claim) {
  std::vector<std::string> details;
  if (claim.stance() != Stance::kFact) details.push_back(LabelWords(claim.label()));
  if (claim.hedged()) details.push_back("hedged");
  details.push_back(absl::StrCat("confidence ", claim.confidence()));
  if (claim.effect_eighths() != 0) {
    details.push_back(absl::StrFormat("effect %+g doublings", claim.effect_eighths() / 8.0));
  }
  details.push_back(
      absl::StrCat(claim.support(), " submissions for, ", claim.against(), " against"));
  details.push_back(absl::StrCat("of round ", claim.stamp_round()));
  details.push_back(claim.general() ? absl::StrCat("both DSLs, from ", Name(claim.dsl()))
                                    : std::string(Name(claim.dsl())));
  return absl::StrCat(StatementInWords(problem, claim), " (", absl::StrJoin(details, ", "), ")");
}

std::string RenderSkill(const SkillNote& note) {
  std::string out = absl::StrCat("---\nname: ", SkillName(note),
                                 "\ndescription: ", Quoted(Description(note)), "\nmetadata:\n");
  const auto metadata = [&out](absl::string_view key, absl::string_view value) {
    absl::StrAppend(&out, "  ", key, ": ", Quoted(value), "\n");
  };
  if (note.attempt.value != 0) {
    metadata("attempt", Format(note.attempt));
    metadata("round", absl::StrCat(note.attempt.round()));
  }
  metadata("problem", FormatProblem(note.problem));
  metadata("dsl", Name(note.dsl));
  metadata("agent", note.agent);
  metadata("sources", absl::StrJoin(note.sources, " ", [](std::string* to, AttemptId source) {
             to->append(Format(source));
           }));
  absl::StrAppend(&out, "---\n\n# ", FormatProblem(note.problem), " in ", Name(note.dsl), "\n");
  if (note.claims.empty()) absl::StrAppend(&out, "\nNothing was learnt.\n");
  for (const Section& section : Sections()) {
    bool open = false;
    for (const Stance stance : section.stances) {
      for (size_t slot = 0; slot < note.claims.size(); ++slot) {
        if (note.claims[slot].claim.stance() != stance) continue;
        if (!open) absl::StrAppend(&out, "\n## ", section.heading, "\n\n");
        open = true;
        absl::StrAppend(&out, "- ", ClaimInWords(note.problem, note.claims[slot].claim), " ",
                        MachinePart(note.claims[slot], slot), "\n");
      }
    }
  }
  return out;
}

}  // namespace hearsay
