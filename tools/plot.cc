#include "tools/plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "lineage/markup.h"

namespace hearsay {
namespace {

// In units of the drawing, which a page shows at about one pixel each.
constexpr double kWidth = 360;
constexpr double kHeight = 230;
constexpr double kRowHeight = 20;
constexpr double kLetterWidth = 7;  // of 11 px text, on the wide side

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void Add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  // Out to round numbers, and never empty.
  std::vector<double> Settle(int ticks) {
    if (low > high) low = 0, high = 1;
    if (low == high) high = low + (low == 0 ? 1 : std::abs(low));
    std::vector<double> at = PlotTicks(low, high, ticks);
    low = std::min(low, at.front());
    high = std::max(high, at.back());
    return at;
  }
};

std::string TickText(const PlotAxis& axis, double value) {
  if (axis.percent) return absl::StrFormat("%.4g%%", 100 * value);
  return absl::StrFormat("%.4g", value);
}

double TextWidth(const std::string& text) {
  return kLetterWidth * static_cast<double>(text.size());
}

// The part of the drawing in which data stand.
struct Frame {
  double left, right, top, bottom;
  Range x, y;

  double X(double value) const {
    return left + (value - x.low) / (x.high - x.low) * (right - left);
  }
  double Y(double value) const {
    return bottom - (value - y.low) / (y.high - y.low) * (bottom - top);
  }
};

std::string Open(double height, const std::string& title) {
  return absl::StrFormat("<svg viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"%s\">\n", kWidth,
                         height, EscapeMarkup(title));
}

void AppendText(std::string* out, double x, double y, const char* anchor, const std::string& text) {
  absl::StrAppendFormat(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>\n", x, y,
                        anchor, EscapeMarkup(text));
}

void AppendLine(std::string* out, const char* kind, double x1, double y1, double x2, double y2) {
  absl::StrAppendFormat(out,
                        "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
                        kind, x1, y1, x2, y2);
}

void AppendXAxis(const Frame& frame, const PlotAxis& axis, const std::vector<double>& ticks,
                 std::string* out) {
  // Labels that would touch are left out, every second or more.
  double widest = 0;
  for (double tick : ticks) widest = std::max(widest, TextWidth(TickText(axis, tick)));
  const double apart = ticks.size() < 2 ? kWidth : frame.X(ticks[1]) - frame.X(ticks[0]);
  const auto every = static_cast<size_t>(std::ceil((widest + 6) / apart));
  for (size_t i = 0; i < ticks.size(); ++i) {
    const double x = frame.X(ticks[i]);
    AppendLine(out, "grid", x, frame.top, x, frame.bottom);
    if (i % every != 0) continue;
    const double half = TextWidth(TickText(axis, ticks[i])) / 2;
    AppendText(out, std::clamp(x, half, kWidth - half), frame.bottom + 17, "middle",
               TickText(axis, ticks[i]));
  }
  AppendText(out, (frame.left + frame.right) / 2, frame.bottom + 32, "middle", axis.label);
}

// Both axes of a plot of numbers over numbers; the label of y stands above it.
Frame AppendPlane(Range x, Range y, const PlotAxis& x_axis, const PlotAxis& y_axis,
                  std::string* out) {
  const std::vector<double> x_ticks = x.Settle(6);
  const std::vector<double> y_ticks = y.Settle(5);
  double widest = 0;
  for (double tick : y_ticks) widest = std::max(widest, TextWidth(TickText(y_axis, tick)));
  const Frame frame = {widest + 8, kWidth - 18, 22, kHeight - 36, x, y};
  AppendText(out, 0, 11, "start", y_axis.label);
  for (double tick : y_ticks) {
    AppendLine(out, "grid", frame.left, frame.Y(tick), frame.right, frame.Y(tick));
    AppendText(out, frame.left - 5, frame.Y(tick) + 4, "end", TickText(y_axis, tick));
  }
  AppendXAxis(frame, x_axis, x_ticks, out);
  return frame;
}

// "M x y L x y ..." through (x, y) of the points, in steps where asked for.
template <typename Y>
std::string Path(const Frame& frame, const std::vector<PlotPoint>& points, bool steps, Y y) {
  std::string path;
  double before = 0;
  for (const PlotPoint& point : points) {
    const double px = frame.X(point.x);
    const double py = frame.Y(y(point));
    if (!path.empty() && steps) absl::StrAppendFormat(&path, "L%.1f %.1f", px, before);
    absl::StrAppendFormat(&path, "%s%.1f %.1f", path.empty() ? "M" : "L", px, py);
    before = py;
  }
  return path;
}

void AppendSeries(const Frame& frame, const PlotSeries& series, int index, bool steps,
                  std::string* out) {
  std::vector<PlotPoint> banded;
  for (const PlotPoint& point : series.points) {
    if (point.interval.has_value()) banded.push_back(point);
  }
  if (banded.size() > 1) {
    std::string band =
        Path(frame, banded, steps, [](const PlotPoint& p) { return p.interval->high; });
    std::vector<PlotPoint> back = banded;
    std::reverse(back.begin(), back.end());
    // Back along the lower edge: a step there comes before its point, not after.
    std::string lower;
    double x_before = 0;
    for (const PlotPoint& p : back) {
      const double py = frame.Y(p.interval->low);
      if (!lower.empty() && steps) absl::StrAppendFormat(&lower, "L%.1f %.1f", x_before, py);
      absl::StrAppendFormat(&lower, "L%.1f %.1f", frame.X(p.x), py);
      x_before = frame.X(p.x);
    }
    absl::StrAppendFormat(out, "<path class=\"band s%d\" d=\"%s%sZ\"/>\n", index % kPlotColours,
                          band, lower);
  }
  absl::StrAppendFormat(out, "<path class=\"line s%d\" d=\"%s\"><title>%s</title></path>\n",
                        index % kPlotColours,
                        Path(frame, series.points, steps, [](const PlotPoint& p) { return p.y; }),
                        EscapeMarkup(series.name));
}

}  // namespace

std::vector<double> PlotTicks(double low, double high, int count) {
  if (low == high) return {low};
  const double rough = (high - low) / (count - 1);
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) {
      step = factor * power;
      break;
    }
  }
  std::vector<double> ticks;
  const auto first = static_cast<int64_t>(std::floor(low / step + 1e-9));
  const auto last = static_cast<int64_t>(std::ceil(high / step - 1e-9));
  for (int64_t i = first; i <= last; ++i) ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::string LineSvg(const LinePlot& plot) {
  Range x, y;
  for (const PlotSeries& series : plot.series) {
    for (const PlotPoint& point : series.points) {
      x.Add(point.x);
      y.Add(point.y);
      if (!point.interval.has_value()) continue;
      y.Add(point.interval->low);
      y.Add(point.interval->high);
    }
  }
  y.Add(0);
  std::string out = Open(kHeight, plot.title);
  const Frame frame = AppendPlane(x, y, plot.x, plot.y, &out);
  for (size_t i = 0; i < plot.series.size(); ++i) {
    AppendSeries(frame, plot.series[i], static_cast<int>(i), plot.steps, &out);
  }
  return out + "</svg>\n";
}

std::string DotSvg(const DotPlot& plot) {
  Range x;
  if (plot.reference.has_value()) x.Add(*plot.reference);
  double widest = 0;
  for (const PlotDot& dot : plot.dots) {
    if (dot.estimate.value.has_value()) x.Add(*dot.estimate.value);
    if (dot.estimate.interval.has_value()) x.Add(dot.estimate.interval->low);
    if (dot.estimate.interval.has_value()) x.Add(dot.estimate.interval->high);
    widest = std::max(widest, TextWidth(dot.name));
  }
  const std::vector<double> ticks = x.Settle(5);
  const double bottom = 6 + kRowHeight * static_cast<double>(plot.dots.size());
  const Frame frame = {std::min(widest + 8, kWidth / 2), kWidth - 18, 4, bottom, x, {}};
  std::string out = Open(bottom + 36, plot.title);
  AppendXAxis(frame, plot.x, ticks, &out);
  if (plot.reference.has_value()) {
    AppendLine(&out, "reference", frame.X(*plot.reference), frame.top, frame.X(*plot.reference),
               frame.bottom);
  }
  for (size_t i = 0; i < plot.dots.size(); ++i) {
    const PlotDot& dot = plot.dots[i];
    const double y = frame.top + kRowHeight * (static_cast<double>(i) + 0.5);
    AppendText(&out, frame.left - 6, y + 4, "end", dot.name);
    const std::string colour = absl::StrCat("s", dot.colour % kPlotColours);
    if (dot.estimate.interval.has_value()) {
      AppendLine(&out, absl::StrCat("line ", colour).c_str(), frame.X(dot.estimate.interval->low),
                 y, frame.X(dot.estimate.interval->high), y);
    }
    if (!dot.estimate.value.has_value()) continue;
    absl::StrAppendFormat(&out,
                          "<circle class=\"dot %s\" cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\">"
                          "<title>%s: %s</title></circle>\n",
                          colour, frame.X(*dot.estimate.value), y, EscapeMarkup(dot.name),
                          TickText(plot.x, *dot.estimate.value));
  }
  return out + "</svg>\n";
}

std::string PlaneSvg(const PlanePlot& plot) {
  Range x, y;
  for (const PlanePoint& point : plot.points) {
    x.Add(point.x);
    y.Add(point.y);
  }
  std::string out = Open(kHeight, plot.title);
  const Frame frame = AppendPlane(x, y, plot.x, plot.y, &out);
  // A number stands beside its point; where it would lie on another, further up.
  std::vector<std::pair<double, double>> taken;
  for (const PlanePoint& point : plot.points) {
    taken.emplace_back(frame.X(point.x), frame.Y(point.y));
  }
  for (size_t i = 0; i < plot.points.size(); ++i) {
    const PlanePoint& point = plot.points[i];
    const double px = frame.X(point.x);
    const double py = frame.Y(point.y);
    absl::StrAppendFormat(&out,
                          "<circle class=\"dot s%d\" cx=\"%.1f\" cy=\"%.1f\" r=\"4\">"
                          "<title>%s</title></circle>\n",
                          point.marked ? 1 : 0, px, py, EscapeMarkup(point.name));
    const double tx = px + (px > kWidth - 30 ? -14 : 14);
    double ty = py;
    const auto touches = [&](const std::pair<double, double>& other) {
      return std::abs(other.first - tx) < 13 && std::abs(other.second - ty) < 11;
    };
    for (int tries = 0; tries < 20; ++tries) {
      if (std::none_of(taken.begin(), taken.end(), touches)) break;
      ty = py + (tries % 2 == 0 ? -1 : 1) * 6.0 * (tries / 2 + 1);
    }
    taken.emplace_back(tx, ty);
    AppendText(&out, tx, ty + 4, "middle", absl::StrCat(i + 1));
  }
  return out + "</svg>\n";
}

}  // namespace hearsay
