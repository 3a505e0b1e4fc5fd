#include "lineage/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lineage/data/embedded.h"
#include "tests/lineage/lineage_testing.h"

namespace hearsay {
namespace {

using ::testing::DoubleNear;
using ::testing::HasSubstr;

TEST(PublishedTest, TheDataAreRead) {
  const auto figures = ParsePublished(kPublishedText, "published.csv");
  ASSERT_TRUE(figures.ok()) << figures.status();
  ASSERT_EQ(figures->size(), 12);
  EXPECT_EQ((*figures)[0].figure, "lift");
  EXPECT_EQ((*figures)[0].low, -.191);
  EXPECT_EQ((*figures)[0].high, .293);
  EXPECT_EQ((*figures)[1].theirs, 4);
  EXPECT_EQ((*figures)[1].of, 6);
  EXPECT_EQ(figures->back().theirs, std::nullopt);
  EXPECT_THAT(kPublishedText, HasSubstr("arXiv 2610.05014"));
}

TEST(PublishedTest, BadLinesAreNamed) {
  const std::string header = "# source\nfigure,low,high,theirs,of,meaning\n";
  const auto why = [](const std::string& text) {
    return std::string(ParsePublished(text, "x.csv").status().message());
  };
  EXPECT_THAT(why("lift,1,2\n"), HasSubstr("x.csv:1: 'lift,1,2' is not figure,low"));
  EXPECT_THAT(why(header + "lift,1,2\n"), HasSubstr("x.csv:3: 'lift,1,2' has not six fields"));
  EXPECT_THAT(why(header + "lift,2,1,,,x\n"), HasSubstr("x.csv:3: '2,1' is no range"));
  EXPECT_THAT(why(header + "lift,1,2,few,,x\n"), HasSubstr("x.csv:3: 'few' is no count"));
}

TransferGroup Cell(const std::string& agent, const std::string& direction, double log_ratio) {
  TransferGroup group;
  group.by = "agent+direction";
  group.agent = agent;
  group.direction = direction;
  group.sums.comparisons = 2;
  group.sums.helped = 1;
  group.sums.log_ratio_sum = 2 * log_ratio;
  group.lift = Interval{-.5, .5};
  return group;
}

GroupRow Row(const std::string& agent, const std::string& category, double value) {
  GroupRow row;
  row.by = "agent";
  row.agent = agent;
  row.category = category;
  row.estimates = {{value, Interval{value - 1, value + 2}}};
  return row;
}

// ada gains into TIRx and loses into CuTe DSL; bob gains in both.
TEST(PublishedTest, FiguresByHand) {
  TransferStudy transfer = {TestRun({4}, 1).record, {}, {}};
  transfer.groups = {Cell("", "", 0),
                     Cell("ada", "cute->tirx", .1),
                     Cell("ada", "tirx->cute", -.1),
                     Cell("bob", "cute->tirx", .2),
                     Cell("bob", "tirx->cute", .1),
                     Cell("bob", "none->cute", 9)};
  transfer.groups[0].by = "all";
  std::vector<GroupStudy> content(1), attribution(1), propagation(1);
  content[0].measures = {"points"};
  content[0].rows = {Row("ada", "unsupported_closure", 9),
                     Row("ada", "verified_reformulation", -8)};
  attribution[0].measures = {"share"};
  attribution[0].rows = {Row("ada", "search_truncation", .5), Row("ada", "unverified_adoption", .2),
                         Row("ada", "execution_error", .3)};
  propagation[0].measures = {"harmed_written"};
  propagation[0].rows = {Row("ada", "", .4)};
  const PublishedInputs inputs = {transfer, content, attribution, propagation};
  const auto of = [&](absl::string_view figure) { return *ComputeFigure(figure, inputs); };
  ASSERT_EQ(of("lift").size(), 4);
  EXPECT_EQ(of("lift")[1].of, "ada tirx->cute");
  EXPECT_THAT(*of("lift")[1].estimate.value, DoubleNear(std::exp(-.1) - 1, 1e-12));
  ASSERT_EQ(of("lift_both_gain").size(), 2);
  EXPECT_EQ(of("lift_both_gain")[0].of, "ada");
  EXPECT_THAT(*of("lift_both_gain")[0].estimate.value, DoubleNear(std::exp(-.1) - 1, 1e-12));
  EXPECT_THAT(*of("lift_both_gain")[1].estimate.value, DoubleNear(std::exp(.1) - 1, 1e-12));
  EXPECT_THAT(*of("lift_both_lose")[1].estimate.value, DoubleNear(std::exp(.2) - 1, 1e-12));
  EXPECT_EQ(of("helped_all")[0].estimate.value, .5);
  EXPECT_EQ(of("closure_points")[0].estimate.value, 9);
  // Helpful less harmful.
  EXPECT_EQ(of("reformulation_points")[0].estimate.value, 8);
  EXPECT_EQ(of("reformulation_points")[0].estimate.interval->low, 6);
  EXPECT_THAT(*of("misled")[0].estimate.value, DoubleNear(.7, 1e-12));
  EXPECT_EQ(of("misled")[0].estimate.interval, std::nullopt);
  EXPECT_EQ(of("own_execution")[0].estimate.value, .3);
  EXPECT_EQ(of("written_harmed")[0].estimate.value, .4);
  EXPECT_EQ(ComputeFigure("luck", inputs).status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace hearsay
