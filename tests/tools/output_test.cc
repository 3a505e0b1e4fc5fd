// Tables as text, JSON and CSV.
#include "tools/output.h"

#include <gmock/gmock.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tools/tools_testing.h"

namespace hearsay {
namespace {

Table Sample() {
  Table table;
  table.title = "Sample";
  table.columns = {"name", "count", "share"};
  table.rows = {{Text("a"), Integer(7), Real(0.25)},
                {Text("longer \"x\", y"), Integer(-12345), Missing()},
                {Text("line\nbreak"), Integer(int64_t{1} << 60), Real(std::nan(""))}};
  table.notes = {"a note"};
  return table;
}

TEST(OutputTest, JsonIsUtf8WhateverAPathIs) {
  Table table = Sample();
  table.title = "Runs of caf\xc3\xa9/caf\xe9.kb\xe2\x82";
  const std::string json = FormatJson({table});
  EXPECT_THAT(json, ::testing::HasSubstr("\"Runs of caf\xc3\xa9/caf\\ufffd.kb\\ufffd\\ufffd\""));
}

TEST(OutputTest, TextAlignsWordsLeftAndNumbersRight) {
  Table table = Sample();
  table.rows.pop_back();
  EXPECT_EQ(FormatText({table}, false),
            "Sample\n"
            "name            count  share\n"
            "a                   7   0.25\n"
            "longer \"x\", y  -12345      -\n"
            "  note: a note\n");
}

TEST(OutputTest, TextPadsByCodePoints) {
  Table table;
  table.columns = {"a", "b"};
  table.rows = {{Text("\xc3\xa9\xc3\xa9"), Text("x")}, {Text("eee"), Text("y")}};
  EXPECT_EQ(FormatText({table}, false), "a    b\n\xc3\xa9\xc3\xa9   x\neee  y\n");
}

TEST(OutputTest, TextKeepsColumnsOfMixedCellsLeft) {
  FactTable facts("Facts");
  facts.Add("speedup", Real(2.5));
  facts.Add("agent", Text("steady"));
  EXPECT_EQ(FormatText({facts.Take()}, false),
            "Facts\n"
            "fact     value\n"
            "speedup  2.5\n"
            "agent    steady\n");
}

TEST(OutputTest, TextSaysWhereThereIsNothing) {
  Table table;
  table.title = "Empty";
  table.columns = {"a"};
  EXPECT_EQ(FormatText({table}, true), "\x1b[1mEmpty\x1b[0m\n(none)\n");
}

TEST(OutputTest, JsonReadsBack) {
  google::protobuf::Struct json;
  const auto status =
      google::protobuf::util::JsonStringToMessage(FormatJson({Sample(), Sample()}), &json);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const auto& tables = json.fields().at("tables").list_value();
  ASSERT_EQ(tables.values_size(), 2);
  const auto& table = tables.values(0).struct_value().fields();
  EXPECT_EQ(table.at("title").string_value(), "Sample");
  EXPECT_EQ(table.at("notes").list_value().values(0).string_value(), "a note");
  EXPECT_EQ(table.at("columns").list_value().values_size(), 3);
  const auto& rows = table.at("rows").list_value();
  ASSERT_EQ(rows.values_size(), 3);
  const auto& second = rows.values(1).struct_value().fields();
  EXPECT_EQ(second.at("name").string_value(), "longer \"x\", y");
  EXPECT_EQ(second.at("count").number_value(), -12345);
  EXPECT_TRUE(second.at("share").has_null_value());
  const auto& third = rows.values(2).struct_value().fields();
  EXPECT_EQ(third.at("name").string_value(), "line\nbreak");
  EXPECT_TRUE(third.at("share").has_null_value());
}

TEST(OutputTest, CsvReadsBack) {
  Table table = Sample();
  table.rows[2][2] = Real(1.0 / 3);
  const auto records = ParseCsv(FormatCsv({table, table}));
  const std::vector<std::vector<std::string>> one = {
      {"name", "count", "share"},
      {"a", "7", "0.25"},
      {"longer \"x\", y", "-12345", ""},
      {"line\nbreak", "1152921504606846976", "0.3333333333333333"}};
  std::vector<std::vector<std::string>> two = one;
  two.push_back({""});
  two.insert(two.end(), one.begin(), one.end());
  EXPECT_EQ(records, two);
}

}  // namespace
}  // namespace hearsay
