// Plots as SVG to stand in an HTML page: lines over a number, dots with intervals over names, and
// labelled points in a plane. Colours are classes of the page (s0, s1 ...), so that one drawing
// serves light and dark; titles and legends are left to the page, which can break lines.
//
// Pure functions. Numbers that are not finite are left out.
#ifndef HEARSAY_TOOLS_PLOT_H_
#define HEARSAY_TOOLS_PLOT_H_

#include <optional>
#include <string>
#include <vector>

#include "lineage/clustered.h"

namespace hearsay {

// Colours that a page has; series past them begin again.
inline constexpr int kPlotColours = 6;

struct PlotAxis {
  std::string label;
  bool percent = false;  // values are shares, shown as 0% to 100%
};

struct PlotPoint {
  double x = 0;
  double y = 0;
  std::optional<Interval> interval;  // of y
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;  // ascending by x
};

struct LinePlot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlotSeries> series;
  bool steps = false;  // a value holds until the next
};

struct PlotDot {
  std::string name;
  Estimate estimate;
  int colour = 0;
};

struct DotPlot {
  std::string title;
  PlotAxis x;
  std::vector<PlotDot> dots;           // from top to bottom
  std::optional<double> reference;     // drawn as a line across, such as 0
  std::vector<std::string> colours{};  // what colours stand for; empty: nothing
};

struct PlanePoint {
  std::string name;
  double x = 0;
  double y = 0;
  bool marked = false;  // in the second colour
};

struct PlanePlot {
  std::string title;
  PlotAxis x, y;
  std::vector<PlanePoint> points;  // numbered in the drawing, from 1
  std::string marked_means;
};

std::string LineSvg(const LinePlot& plot);
std::string DotSvg(const DotPlot& plot);
std::string PlaneSvg(const PlanePlot& plot);

// Round numbers that span [low, high]: 1, 2 or 5 times a power of ten apart, about `count` of them.
// REQUIRES: low <= high, both finite; count >= 2.
std::vector<double> PlotTicks(double low, double high, int count);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_PLOT_H_
