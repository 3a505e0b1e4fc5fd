#include "tasks/landscape_check.h"

#include <algorithm>
#include <cstring>

#include "tasks/problems.h"

namespace hearsay {
namespace {

constexpr int kFewestPoints = 64;

bool OnPlateau(const World& world, int point) { return point % world.value_count[0] == 0; }

bool SameEntries(const Landscape& a, const Landscape& b) {
  return std::equal(a.entries().begin(), a.entries().end(), b.entries().begin(), b.entries().end(),
                    [](Entry x, Entry y) { return x.code == y.code; });
}

bool SameDifficulty(const World& a, const World& b) {
  return memcmp(a.difficulty, b.difficulty, sizeof(a.difficulty)) == 0;
}

// Reasons why this landscape is degenerate by itself.
std::vector<std::string> Reasons(const Landscape& landscape) {
  const World& world = landscape.world();
  std::vector<std::string> reasons;
  if (world.point_count < kFewestPoints) reasons.push_back("fewer than 64 points");
  int64_t statuses[kStatusCount] = {};
  bool flat = true;
  for (int p = 0; p < world.point_count; ++p) {
    const Entry entry = world.entries[p];
    ++statuses[static_cast<int>(entry.status())];
    if (OnPlateau(world, p)) flat &= entry.ok() && entry.speed_lg() == 0;
  }
  if (!flat) reasons.push_back("an all-eager point is not at eager speed");
  if (statuses[static_cast<int>(Status::kCompileError)] +
          statuses[static_cast<int>(Status::kIncorrect)] ==
      0) {
    reasons.push_back("nothing incorrect or uncompilable");
  }
  return reasons;
}

void Count(const Landscape& landscape, FamilySummary& summary) {
  const World& world = landscape.world();
  ++summary.problem_count;
  summary.point_count += world.point_count;
  for (int p = 0; p < world.point_count; ++p) {
    ++summary.status_counts[static_cast<int>(world.entries[p].status())];
    summary.plateau_count += OnPlateau(world, p) ? 1 : 0;
  }
}

}  // namespace

LandscapeReport CheckLandscapes(Atlas& atlas, const std::vector<int>& problem_indexes) {
  LandscapeReport report;
  std::vector<std::vector<int>> bests;  // by position in report.families
  for (int problem : problem_indexes) {
    const std::string& family = Problems()[problem].family();
    for (int d = 0; d < kDslCount; ++d) {
      const Dsl dsl = static_cast<Dsl>(d);
      const Landscape& landscape = atlas.Get(problem, dsl);
      size_t at = 0;
      while (at < report.families.size() &&
             (report.families[at].family != family || report.families[at].dsl != dsl)) {
        ++at;
      }
      if (at == report.families.size()) {
        FamilySummary summary;
        summary.family = family;
        summary.dsl = dsl;
        report.families.push_back(summary);
        bests.emplace_back();
      }
      Count(landscape, report.families[at]);
      bests[at].push_back(landscape.world().best_lg);
      for (std::string& reason : Reasons(landscape)) {
        report.degenerate.push_back({problem, dsl, std::move(reason)});
      }
    }
    const Landscape& cute = atlas.Get(problem, Dsl::kCute);
    const Landscape& tirx = atlas.Get(problem, Dsl::kTirx);
    if (SameEntries(cute, tirx)) {
      report.degenerate.push_back({problem, Dsl::kTirx, "times and statuses copy the other DSL"});
    }
    if (SameDifficulty(cute.world(), tirx.world())) {
      report.degenerate.push_back({problem, Dsl::kTirx, "difficulty copies the other DSL"});
    }
  }
  for (size_t i = 0; i < bests.size(); ++i) {
    std::sort(bests[i].begin(), bests[i].end());
    report.families[i].least_best_lg = bests[i].front();
    report.families[i].median_best_lg = bests[i][(bests[i].size() - 1) / 2];
    report.families[i].greatest_best_lg = bests[i].back();
  }
  return report;
}

}  // namespace hearsay
