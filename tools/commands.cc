// The command table, from which dispatch, help and did-you-mean are made.
#include "tools/command.h"

namespace hearsay {
namespace {

constexpr CommandEntry kCommands[] = {
    {"run", "Execute a plan into a kb, or go on with a run that was stopped",
     "  hearsay run --rounds 10 --lanes 8 --problems linear_attention\n"
     "  hearsay run plan.textproto --kb my.kb --policy verify_gate=0.5\n"
     "  hearsay run --resume\n",
     NewRunCommand},
    {"plan", "Print a plan with all defaults filled in, without running it",
     "  hearsay plan --topology pool:4,best > plan.textproto\n", NewPlanCommand},
    {"runs", "List the runs of a kb", "  hearsay runs --kb my.kb --format json\n", NewRunsCommand},
    {"attempt", "Show an attempt with its submissions, replayed",
     "  hearsay attempt R1:r3.p71.l0\n", NewAttemptCommand},
    {"note", "Print a note as SKILL.md, or keep a note from outside",
     "  hearsay note R1:r3.p71.l0 > SKILL.md\n"
     "  hearsay note --add SKILL.md\n"
     "  hearsay note T1\n",
     NewNoteCommand},
    {"claims", "List the claims of a run",
     "  hearsay claims --label unsupported_closure --false --sort lifetime\n"
     "  hearsay claims --problem p71 --dsl cute --alive --limit 0 --format csv\n"
     "  hearsay claims --text 'cannot work' --label unsupported_closure\n",
     NewClaimsCommand},
    {"ancestry", "Trace a claim back to its birth; without one, the longest-lived false closure",
     "  hearsay ancestry R1:r17.p71.l42#5\n"
     "  hearsay ancestry --problem p71\n"
     "  hearsay ancestry --text 'tile=128: cannot work' --format json\n"
     "  hearsay ancestry R1:r17.p71.l42#5 --with R1:r9.p71.l3#1\n",
     NewAncestryCommand},
    {"descendants", "List what a claim became; without one, the longest-lived false closure",
     "  hearsay descendants R1:r0.p71.l4#2 --limit 50\n", NewDescendantsCommand},
    {"counterfactual", "Run on without a claim, all random numbers equal, and say what changes",
     "  hearsay counterfactual R1:r0.p71.l4#2\n"
     "  hearsay counterfactual --problem p71 --format json\n",
     NewCounterfactualCommand},
    {"graph", "Draw how a claim spread; without one, the longest-lived false closure",
     "  hearsay graph -o closure.svg\n"
     "  hearsay graph R1:r0.p71.l4#2 --down 10 --format dot\n"
     "  hearsay graph --problem p71 -o p71.pdf\n"
     "  hearsay graph --harmful 5 -o worst.png\n",
     NewGraphCommand},
    {"export", "Write a whole run as a graph: GraphML, Cytoscape JSON, PROV-JSON or CSV",
     "  hearsay export R1 -o run.graphml\n"
     "  hearsay export --format csv -o tables --problem p71\n"
     "  hearsay export --format prov-json --to 3 > rounds.json\n",
     NewExportCommand},
    {"study", "Summarise a run or several: what notes do, and how errors persist",
     "  hearsay study persistence --run 2\n"
     "  hearsay study transfer --format csv --table 1\n"
     "  hearsay study attribution\n"
     "  hearsay study persistence --run 1-3    # pooled\n"
     "  hearsay study policies --run all\n"
     "  hearsay study published                # beside a benchmark of language models\n",
     NewStudyCommand},
    {"report", "Write all studies of a run or of several as one HTML page",
     "  hearsay report R1 -o report.html\n"
     "  hearsay report 1,4,7 -o pooled.html\n",
     NewReportCommand},
    {"sweep", "Run a plan over a grid of values, and list what came of it",
     "  hearsay sweep --vary topology=relay/pool:4,best --vary seed=1/2/3\n"
     "  hearsay sweep plan.textproto --vary policy=none/verify_gate=0.5/ttl=3,keep_hedges\n",
     NewSweepCommand},
    {"problems", "List the problems, show one, or check the landscapes",
     "  hearsay problems list\n"
     "  hearsay problems show p71\n"
     "  hearsay problems check --hardware h200\n",
     NewProblemsCommand},
    {"agents", "Show the built-in agent profiles", "  hearsay agents --format csv\n",
     NewAgentsCommand},
    {"check", "Check the integrity of a kb", "  hearsay check --kb my.kb\n", NewCheckCommand},
    {"kb", "Say what a kb takes on disk, or save what is whole of a damaged one",
     "  hearsay kb stat --kb my.kb\n"
     "  hearsay kb repair --kb my.kb -o saved.kb\n",
     NewKbCommand},
    {"compare", "Compare two runs round by round, by digest",
     "  hearsay compare 1 2\n"
     "  hearsay compare R1 R1 --kb a.kb --kb-b b.kb\n",
     NewCompareCommand},
};

}  // namespace

absl::Span<const CommandEntry> Commands() { return kCommands; }

}  // namespace hearsay
