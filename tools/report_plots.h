// From studies to the plots of a report.
#ifndef HEARSAY_TOOLS_REPORT_PLOTS_H_
#define HEARSAY_TOOLS_REPORT_PLOTS_H_

#include <string>
#include <vector>

#include "lineage/grouped.h"
#include "lineage/persistence.h"
#include "lineage/policies.h"
#include "lineage/spread.h"
#include "lineage/transfer.h"
#include "tools/plot.h"

namespace hearsay {

// By round: shares helped and harmed, and the paired lift.
LinePlot EffectByRound(const TransferStudy& study);
LinePlot LiftByRound(const TransferStudy& study);
// By agent and direction.
DotPlot LiftByAgent(const TransferStudy& study);

// One measure of the pooled rows, by category.
DotPlot PooledDots(const GroupStudy& study, const std::string& measure, const std::string& title,
                   const PlotAxis& axis, std::optional<double> reference);
// Several measures of the pooled rows, by category; or of the agents where there is one category.
DotPlot SeveralDots(const GroupStudy& study, const std::vector<std::string>& measures,
                    const std::vector<std::string>& meanings, const std::string& title,
                    const PlotAxis& axis);

LinePlot SurvivalPlot(const PersistenceStudy& study);
DotPlot HazardPlot(const PersistenceStudy& study);
LinePlot BurdenPlot(const SpreadStudy& study);
DotPlot TrendPlot(const SpreadStudy& study);
DotPlot ReproductionPlot(const SpreadStudy& study);
LinePlot CitationPlot(const SpreadStudy& study);

PlanePlot FrontierPlot(const PolicyStudy& study);

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_REPORT_PLOTS_H_
