// hearsay report, and the plots it is made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/tools/tools_testing.h"
#include "tools/plot.h"

namespace hearsay {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(PlotTicksTest, RoundNumbersThatSpanTheRange) {
  EXPECT_THAT(PlotTicks(0, 1, 6),
              ElementsAre(DoubleNear(0, 1e-12), DoubleNear(.2, 1e-12), DoubleNear(.4, 1e-12),
                          DoubleNear(.6, 1e-12), DoubleNear(.8, 1e-12), DoubleNear(1, 1e-12)));
  EXPECT_THAT(PlotTicks(-7, 12, 5), ElementsAre(-10, -5, 0, 5, 10, 15));
  EXPECT_THAT(PlotTicks(3, 3, 5), ElementsAre(3));
  for (double high : {1e-7, .37, 1., 42., 9.9e8}) {
    for (int count = 2; count < 9; ++count) {
      const std::vector<double> ticks = PlotTicks(-high / 3, high, count);
      EXPECT_LE(ticks.front(), -high / 3 * (1 - 1e-6));
      EXPECT_GE(ticks.back(), high * (1 - 1e-6));
      EXPECT_LE(ticks.size(), static_cast<size_t>(count) + 2);
    }
  }
}

TEST(PlotTest, EscapesNamesAndDrawsNothingThatIsNoNumber) {
  DotPlot plot = {"a < b", {"share", true}, {}, 0.0};
  plot.dots.push_back({"x & y", {.5, Interval{.4, .6}}});
  plot.dots.push_back({"none", {}});
  const std::string svg = DotSvg(plot);
  EXPECT_THAT(svg, HasSubstr("aria-label=\"a &lt; b\""));
  EXPECT_THAT(svg, HasSubstr("x &amp; y"));
  EXPECT_THAT(svg, Not(HasSubstr("nan")));
  EXPECT_THAT(LineSvg({"empty", {"x"}, {"y"}, {{"one", {}}}}), Not(HasSubstr("nan")));
  EXPECT_THAT(PlaneSvg({"empty", {"x"}, {"y"}, {}, ""}), HasSubstr("</svg>"));
  const LinePlot constant = {"flat", {"x"}, {"y"}, {{"one", {{1, 0, std::nullopt}}}}};
  EXPECT_THAT(LineSvg(constant), Not(HasSubstr("nan")));
}

TEST(PlotTest, AStepHoldsUntilTheNext) {
  LinePlot plot = {"steps", {"x"}, {"y"}, {{"one", {{0, 1, {}}, {1, 0, {}}}}}};
  const std::string straight = LineSvg(plot);
  plot.steps = true;
  const std::string stepped = LineSvg(plot);
  const auto lines = [](const std::string& svg) {
    const size_t at = svg.find("class=\"line");
    return std::count(svg.begin() + static_cast<int64_t>(at),
                      svg.begin() + static_cast<int64_t>(svg.find("\">", at)), 'L');
  };
  EXPECT_EQ(lines(straight), 1);
  EXPECT_EQ(lines(stepped), 2);
}

TEST(ReportTest, HoldsAllStudiesAndNeedsNothingFromOutside) {
  const Sandbox sandbox;
  ASSERT_EQ(sandbox
                .Run(absl::StrCat("sweep --quiet ", kTinyPlan,
                                  " --vary policy=none/verify_gate --format csv"))
                .code,
            0);
  const Ended ended = sandbox.Run("report R1 -o page.html");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.out, "");
  EXPECT_EQ(CountLines(ended.err), 1);
  const std::string page = sandbox.Read("page.html");
  for (const char* section : {"Transfer", "Standing", "Adoption", "Attribution",
                              "Content and propagation", "Persistence", "Policies"}) {
    EXPECT_THAT(page, HasSubstr(absl::StrCat("<h2>", section, "</h2>")));
  }
  for (const char* outside : {"http:", "https:", "src=", "href=", "@import", "url(", "nan"}) {
    EXPECT_FALSE(absl::StrContains(page, outside)) << outside;
  }
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  // Without -o the same page goes to standard output.
  EXPECT_EQ(sandbox.Run("report R1").out, page);
}

TEST(ReportTest, WithoutClaimsOrPoliciesTheirSectionsAreLeftOut) {
  const Sandbox sandbox;
  ASSERT_EQ(sandbox.Run(absl::StrCat("run --quiet --record summary ", kTinyPlan)).code, 0);
  const Ended ended = sandbox.Run("report");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_THAT(ended.out, HasSubstr("<h2>Transfer</h2>"));
  EXPECT_THAT(ended.out, Not(HasSubstr("<h2>Persistence</h2>")));
  EXPECT_THAT(ended.out, Not(HasSubstr("<h2>Policies</h2>")));
}

TEST(ReportTest, BadInputIsNamed) {
  const Sandbox sandbox;
  ASSERT_EQ(sandbox.Run(absl::StrCat("run --quiet ", kTinyPlan)).code, 0);
  EXPECT_EQ(sandbox.Run("report Rx").code, 2);
  EXPECT_THAT(sandbox.Run("report Rx").err, HasSubstr("'Rx' is no run"));
  EXPECT_EQ(sandbox.Run("report R9").code, 1);
  const Ended lost = sandbox.Run("report -o no/such/page.html");
  EXPECT_EQ(lost.code, 1);
  EXPECT_THAT(lost.err, HasSubstr("no/such/page.html"));
}

}  // namespace
}  // namespace hearsay
