#include "kb/skill.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tasks/design_space.h"
#include "tasks/problems.h"
#include "tests/kb/kb_testing.h"

namespace hearsay {
namespace {

using ::testing::HasSubstr;

void ExpectEqual(const SkillNote& a, const SkillNote& b) {
  EXPECT_EQ(a.attempt, b.attempt);
  EXPECT_EQ(a.problem, b.problem);
  EXPECT_EQ(a.dsl, b.dsl);
  EXPECT_EQ(a.agent, b.agent);
  EXPECT_EQ(a.sources, b.sources);
  ASSERT_EQ(a.claims.size(), b.claims.size());
  for (size_t c = 0; c < a.claims.size(); ++c) {
    EXPECT_EQ(a.claims[c].id, b.claims[c].id);
    EXPECT_EQ(a.claims[c].claim, b.claims[c].claim);
  }
}

SkillNote RandomNote(TestRandom* random) {
  SkillNote note;
  note.problem = random->Below(ProblemCount());
  note.dsl = static_cast<Dsl>(random->Below(2));
  if (!random->OneIn(4)) note.attempt = AttemptId::Of(1 + random->Below(50), 7, note.problem, 3);
  constexpr const char* kAgents[] = {"careful", "", "a \"quoted\" \\ name", "tab\tand\nline",
                                     "GPT: 5"};
  note.agent = kAgents[random->Below(5)];
  for (int s = random->Below(4); s > 0; --s) {
    note.sources.push_back(AttemptId::Of(1, 6, note.problem, random->Below(kMaxLanes)));
  }
  const DesignSpace& space = DesignSpaceOf(note.problem);
  for (int c = random->Below(kMaxNoteClaims + 1); c > 0; --c) {
    const int knob = random->Below(static_cast<int>(space.knobs.size()));
    const int value = random->Below(static_cast<int>(space.knobs[knob].values.size()));
    const bool census = random->OneIn(6);
    const Claim claim =
        Claim()
            .WithKnob(census ? kNoSubject : knob)
            .WithValue(census || random->OneIn(8) ? kNoSubject : value)
            .WithLabel(static_cast<Label>(random->Below(kLabelCount)))
            .WithStance(census ? Stance::kFact : static_cast<Stance>(random->Below(kStanceCount)))
            .WithDsl(static_cast<Dsl>(random->Below(2)))
            .WithGeneral(random->OneIn(2))
            .WithHedged(random->OneIn(2))
            .WithConfidence(random->Below(16))
            .WithEffectEighths(random->Below(256) - 128)
            .WithSupport(random->Below(16))
            .WithAgainst(random->Below(16))
            .WithStampRound(random->Below(kMaxRounds));
    const ClaimId id = ClaimId::Of(AttemptId::Of(1, random->Below(7), note.problem, 9),
                                   random->Below(kMaxNewClaims));
    note.claims.push_back({random->OneIn(5) ? ClaimId{} : id, claim});
  }
  return note;
}

TEST(Skill, ComesBackFromItsText) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    TestRandom random(seed);
    const SkillNote note = RandomNote(&random);
    const absl::StatusOr<SkillNote> parsed = ParseSkill(RenderSkill(note));
    ASSERT_TRUE(parsed.ok()) << parsed.status() << ", seed " << seed;
    ExpectEqual(*parsed, note);
    ASSERT_FALSE(HasFailure()) << "seed " << seed << "\n" << RenderSkill(note);
  }
}

SkillNote Example() {
  SkillNote note;
  note.attempt = AttemptId::Of(3, 17, 70, 42);
  note.problem = 70;
  note.dsl = Dsl::kTirx;
  note.agent = "careful";
  note.sources = {AttemptId::Of(3, 16, 70, 42)};
  const auto claim = [](int knob, int value, Label label, Stance stance) {
    return Claim().WithKnob(knob).WithValue(value).WithLabel(label).WithStance(stance).WithDsl(
        Dsl::kTirx);
  };
  const AttemptId source = note.sources[0];
  note.claims = {
      {ClaimId::Of(source, 0), claim(0, 1, Label::kMeasuredGain, Stance::kUse)
                                   .WithConfidence(12)
                                   .WithEffectEighths(13)
                                   .WithSupport(3)
                                   .WithStampRound(16)},
      {ClaimId::Of(note.attempt, 0), claim(1, 1, Label::kUnsupportedClosure, Stance::kInfeasible)
                                         .WithConfidence(9)
                                         .WithHedged(true)
                                         .WithSupport(1)
                                         .WithStampRound(17)},
      {ClaimId::Of(note.attempt, 1),
       claim(1, 0, Label::kOpenQuestion, Stance::kOpen).WithConfidence(4).WithStampRound(17)},
      {ClaimId::Of(source, 2), claim(kNoSubject, kNoSubject, Label::kWorkloadCensus, Stance::kFact)
                                   .WithConfidence(14)
                                   .WithGeneral(true)
                                   .WithDsl(Dsl::kCute)
                                   .WithStampRound(2)},
  };
  return note;
}

TEST(Skill, LooksAsItDid) {
  std::ifstream file(absl::StrCat(HEARSAY_TEST_DATA, "/kb_skill.md"));
  std::stringstream golden;
  golden << file.rdbuf();
  // The file says {knob=value} by index: names are the design space's, which may be refined.
  std::string expected = golden.str();
  const DesignSpace& space = DesignSpaceOf(70);
  for (const auto& [knob, value] : {std::pair(0, 1), std::pair(1, 1), std::pair(1, 0)}) {
    expected = absl::StrReplaceAll(
        expected, {{absl::StrCat("{", knob, "=", value, "}"),
                    absl::StrCat(space.knobs[knob].name, "=", space.knobs[knob].values[value])}});
  }
  EXPECT_EQ(RenderSkill(Example()), expected);
}

TEST(Skill, KeepsToTheFormat) {
  for (uint64_t seed = 1; seed <= 50; ++seed) {
    TestRandom random(seed);
    const std::string text = RenderSkill(RandomNote(&random));
    const size_t name = text.find("name: ") + 6;
    EXPECT_LE(text.find('\n', name) - name, 64u);
    EXPECT_TRUE(absl::StartsWith(text, "---\nname: p"));
    // A comment must not be ended by what stands in it.
    EXPECT_FALSE(absl::StrContains(absl::StrReplaceAll(text, {{"<!--", ""}, {" -->", ""}}), "-->"));
  }
}

TEST(Skill, PassesOverWhatPeopleAdd) {
  std::string text = RenderSkill(Example());
  text = absl::StrReplaceAll(
      text,
      {{"## What works", "Some prose, with a list:\n\n- fold the loop\n\n## What worked for us"},
       {"\n", "\r\n"}});
  const absl::StatusOr<SkillNote> parsed = ParseSkill(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ExpectEqual(*parsed, Example());
}

TEST(Skill, TakesALicenceAndOtherQuotes) {
  const std::string text =
      absl::StrReplaceAll(RenderSkill(Example()),
                          {{"metadata:", "license: MIT\nmetadata:"}, {"\"careful\"", "'careful'"}});
  const absl::StatusOr<SkillNote> parsed = ParseSkill(text);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  ExpectEqual(*parsed, Example());
}

TEST(Skill, NamesTheLineOfAFault) {
  struct Case {
    const char* from;
    const char* to;
    const char* error;
  };
  const Case cases[] = {
      {"---\nname", "name", "line 1: a SKILL.md begins with a line '---'"},
      {"name: p71-tirx-r3-r17-l42", "name: P71", "line 2: the name 'P71' is not 1 to 64"},
      {"name: p71-tirx-r3-r17-l42", "name: a--b", "line 2: the name 'a--b'"},
      {"name: p71-tirx-r3-r17-l42\n", "", "line 1: the front matter has no 'name'"},
      {"description:", "descripton:",
       "line 3: unknown key 'descripton'; did you mean 'description'?"},
      {"metadata:\n", "", "is indented, but under no 'metadata:'"},
      {"metadata:\n", "metadata: x\n", "line 4: the entries of 'metadata:' stand below it"},
      {"metadata:\n", "metadata:\n  dsl: cute\n", "'dsl' is there twice"},
      {"agent: \"careful\"", "agent: \"careful", "a quoted text does not end"},
      {"agent: \"careful\"", "agent: |", "only plain and quoted texts on one line"},
      {"agent: \"careful\"", "agent \"careful\"", "is not of the form 'key: value'"},
      {"problem: \"p71\"", "problem: \"p99\"", "p99"},
      {"dsl: \"tirx\"", "dsl: \"trix\"", "'trix'"},
      {"attempt: \"R3:", "attempt: \"R3", "is no attempt id"},
      {"sources: \"R3:", "sources: \"x R3:", "'x' is no attempt id"},
      {"stamp=16 -->", "stamp=16", "the claim's comment does not end"},
      {"stamp=16", "stamp=1048576", "the claim's stamp '1048576' is not 0 to 1048575"},
      {"stamp=16", "", "the claim has no 'stamp'"},
      {"stamp=16", "stamp=16 stamp=16", "the claim's 'stamp' is there twice"},
      {"stamp=16", "stamp=16 colour=red", "a claim has no field 'colour'"},
      {"label=measured_gain", "label=measured_gian", "'measured_gian'"},
      {"slot=1 ", "slot=0 ", "slot 0 is taken by line"},
      {"claim R3:r17.p71.l42#1", "claim R3:r17.p71.l42#0",
       "the number of the claim must be 1 to 32"},
  };
  const std::string good = RenderSkill(Example());
  for (const Case& c : cases) {
    ASSERT_TRUE(absl::StrContains(good, c.from)) << c.from;
    const absl::Status status = ParseSkill(absl::StrReplaceAll(good, {{c.from, c.to}})).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << c.from;
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.error)) << c.from;
    EXPECT_TRUE(absl::StartsWith(status.message(), "line ")) << status;
  }
}

TEST(Skill, NeverCrashesOnOtherTexts) {
  const std::string good = RenderSkill(Example());
  for (size_t size = 0; size <= good.size(); ++size) {
    const std::vector<char> part(good.begin(), good.begin() + static_cast<ptrdiff_t>(size));
    (void)ParseSkill(absl::string_view(part.data(), size)).ok();
  }
  TestRandom random(4);
  for (int k = 0; k < 3000; ++k) {
    std::string damaged = good;
    for (int flips = 1 + random.Below(4); flips > 0; --flips) {
      damaged[random.Below(static_cast<int>(damaged.size()))] = static_cast<char>(random.Bits());
    }
    (void)ParseSkill(damaged).ok();
  }
}

TEST(ClaimWords, UseTheNamesOfTheDesignSpace) {
  const DesignSpace& space = DesignSpaceOf(70);
  const Claim claim = Claim()
                          .WithKnob(1)
                          .WithValue(1)
                          .WithLabel(Label::kUnsupportedClosure)
                          .WithStance(Stance::kNotWorthIt)
                          .WithHedged(true)
                          .WithConfidence(9)
                          .WithEffectEighths(-4)
                          .WithStampRound(3);
  EXPECT_EQ(ClaimInWords(70, claim),
            absl::StrCat(space.knobs[1].name, "=", space.knobs[1].values[1],
                         ": not worth it (unsupported closure, hedged, confidence 9, effect -0.5 "
                         "doublings, 0 submissions for, 0 against, of round 3, cute)"));
  EXPECT_THAT(ClaimInWords(70, claim.WithKnob(14)), HasSubstr("knob 14=value 1: not worth it"));
  EXPECT_THAT(ClaimInWords(70, Claim().WithKnob(kNoSubject).WithValue(kNoSubject)),
              HasSubstr("the workload: workload census"));
}

}  // namespace
}  // namespace hearsay
