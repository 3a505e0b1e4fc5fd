// An HTML page of plots and tables that needs nothing from outside: style and drawings stand in it.
#ifndef HEARSAY_TOOLS_REPORT_PAGE_H_
#define HEARSAY_TOOLS_REPORT_PAGE_H_

#include <string>
#include <vector>

#include "lineage/table.h"
#include "tools/plot.h"

namespace hearsay {

class ReportPage {
 public:
  ReportPage(const std::string& title, const std::string& subtitle);

  void Section(const std::string& title, const std::string& lead);
  void Add(const LinePlot& plot);
  void Add(const DotPlot& plot);
  void Add(const PlanePlot& plot);
  // Folded away under their titles, after the plots of the section.
  void Add(const std::vector<Table>& tables);
  // The whole page. Call once.
  std::string Finish();

 private:
  void Figure(const std::string& title, const std::vector<std::string>& legend,
              const std::string& svg);
  void CloseFigures();

  std::string body_;
  bool in_figures_ = false;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_REPORT_PAGE_H_
