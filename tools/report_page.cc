#include "tools/report_page.h"

#include "absl/strings/str_cat.h"
#include "lineage/markup.h"
#include "tools/output.h"

namespace hearsay {
namespace {

// Colours by Okabe and Ito, which people who see red and green alike can tell apart; brighter on
// dark.
constexpr char kHead[] = R"(<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
:root { color-scheme: light dark; --paper: #ffffff; --card: #f6f7f9; --ink: #1b1e23; --faint: #5b6370;
  --rule: #d8dce2; --c0: #0072b2; --c1: #d55e00; --c2: #007a5a; --c3: #b0508c; --c4: #8a6d00;
  --c5: #3b4cc0; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14161a; --card: #1d2026; --ink: #e6e8ec; --faint: #a2a9b5; --rule: #353a44;
    --c0: #56b4e9; --c1: #f28e2b; --c2: #2fc79a; --c3: #e39ac6; --c4: #e6c229; --c5: #9aa8ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px 12px 48px; max-width: 1240px; background: var(--paper);
  color: var(--ink); font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 24px; line-height: 1.25; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 36px 0 4px; border-top: 1px solid var(--rule); padding-top: 16px; }
p { margin: 0 0 12px; color: var(--faint); max-width: 80ch; }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 360px), 1fr));
  gap: 12px; margin: 12px 0; }
figure { margin: 0; padding: 10px 12px; background: var(--card); border-radius: 8px; min-width: 0; }
figcaption { font-weight: 600; font-size: 14px; margin-bottom: 4px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 14px; font-size: 12px; color: var(--faint);
  margin: 0 0 6px; padding: 0; list-style: none; }
.legend i { display: inline-block; width: 10px; height: 10px; border-radius: 5px; margin-right: 5px;
  background: currentColor; }
svg { display: block; width: 100%; height: auto; }
svg text { font: 11px system-ui, "DejaVu Sans", sans-serif; fill: var(--faint); }
.grid { stroke: var(--rule); stroke-width: 1; }
.reference { stroke: var(--faint); stroke-width: 1; stroke-dasharray: 4 3; }
.s0 { --c: var(--c0); } .s1 { --c: var(--c1); } .s2 { --c: var(--c2); } .s3 { --c: var(--c3); }
.s4 { --c: var(--c4); } .s5 { --c: var(--c5); }
.line { fill: none; stroke: var(--c); stroke-width: 2; }
.band { fill: var(--c); opacity: 0.18; }
.dot { fill: var(--c); }
.legend i { color: var(--c); }
details { margin: 6px 0; }
summary { cursor: pointer; }
.scroll { overflow-x: auto; margin: 6px 0; }
table { border-collapse: collapse; font-size: 13px; overflow-wrap: normal; }
th, td { padding: 2px 10px; text-align: left; white-space: nowrap; border-bottom: 1px solid var(--rule); }
td.number { text-align: right; font-variant-numeric: tabular-nums; }
li { color: var(--faint); font-size: 13px; }
</style>
)";

std::string TableMarkup(const Table& table) {
  std::string out = absl::StrCat("<details><summary>", EscapeMarkup(table.title), "</summary>\n",
                                 "<div class=\"scroll\" tabindex=\"0\"><table>\n<tr>");
  for (const std::string& column : table.columns) {
    absl::StrAppend(&out, "<th>", EscapeMarkup(column), "</th>");
  }
  absl::StrAppend(&out, "</tr>\n");
  for (const std::vector<Cell>& row : table.rows) {
    absl::StrAppend(&out, "<tr>");
    for (const Cell& cell : row) {
      absl::StrAppend(&out, IsNumber(cell) ? "<td class=\"number\">" : "<td>",
                      EscapeMarkup(CellText(cell)), "</td>");
    }
    absl::StrAppend(&out, "</tr>\n");
  }
  absl::StrAppend(&out, "</table></div>\n<ul>\n");
  for (const std::string& note : table.notes) {
    absl::StrAppend(&out, "<li>", EscapeMarkup(note), "</li>\n");
  }
  return out + "</ul></details>\n";
}

std::vector<std::string> NamesOf(const std::vector<PlotSeries>& series) {
  std::vector<std::string> names;
  for (const PlotSeries& one : series) names.push_back(one.name);
  return names;
}

}  // namespace

ReportPage::ReportPage(const std::string& title, const std::string& subtitle) {
  body_ = absl::StrCat("<!doctype html>\n<html lang=\"en\">\n<head>\n<title>", EscapeMarkup(title),
                       "</title>\n", kHead, "</head>\n<body>\n<h1>", EscapeMarkup(title),
                       "</h1>\n<p>", EscapeMarkup(subtitle), "</p>\n");
}

void ReportPage::CloseFigures() {
  if (in_figures_) absl::StrAppend(&body_, "</div>\n");
  in_figures_ = false;
}

void ReportPage::Section(const std::string& title, const std::string& lead) {
  CloseFigures();
  absl::StrAppend(&body_, "<h2>", EscapeMarkup(title), "</h2>\n<p>", EscapeMarkup(lead), "</p>\n");
}

void ReportPage::Figure(const std::string& title, const std::vector<std::string>& legend,
                        const std::string& svg) {
  if (!in_figures_) absl::StrAppend(&body_, "<div class=\"figures\">\n");
  in_figures_ = true;
  absl::StrAppend(&body_, "<figure><figcaption>", EscapeMarkup(title), "</figcaption>\n");
  if (!legend.empty()) absl::StrAppend(&body_, "<ul class=\"legend\">");
  for (size_t i = 0; i < legend.size(); ++i) {
    absl::StrAppend(&body_, "<li class=\"s", i % kPlotColours, "\"><i></i>",
                    EscapeMarkup(legend[i]), "</li>");
  }
  if (!legend.empty()) absl::StrAppend(&body_, "</ul>\n");
  absl::StrAppend(&body_, svg, "</figure>\n");
}

void ReportPage::Add(const LinePlot& plot) {
  Figure(plot.title, plot.series.size() > 1 ? NamesOf(plot.series) : std::vector<std::string>(),
         LineSvg(plot));
}

void ReportPage::Add(const DotPlot& plot) { Figure(plot.title, plot.colours, DotSvg(plot)); }

void ReportPage::Add(const PlanePlot& plot) {
  std::string numbers = "<ul class=\"legend\">";
  for (size_t i = 0; i < plot.points.size(); ++i) {
    absl::StrAppend(&numbers, "<li class=\"s", plot.points[i].marked ? 1 : 0, "\"><i></i>", i + 1,
                    " ", EscapeMarkup(plot.points[i].name), "</li>");
  }
  if (!plot.marked_means.empty()) {
    absl::StrAppend(&numbers, "<li class=\"s1\"><i></i>", EscapeMarkup(plot.marked_means), "</li>");
  }
  Figure(plot.title, {}, absl::StrCat(numbers, "</ul>\n", PlaneSvg(plot)));
}

void ReportPage::Add(const std::vector<Table>& tables) {
  CloseFigures();
  for (const Table& table : tables) absl::StrAppend(&body_, TableMarkup(table));
}

std::string ReportPage::Finish() {
  CloseFigures();
  absl::StrAppend(&body_, "</body>\n</html>\n");
  return std::move(body_);
}

}  // namespace hearsay
