#include "kb/repair.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "kb/codec.h"
#include "kb/fold.h"
#include "kb/retention.h"
#include "kb/rocks.h"
#include "kb/round_check.h"
#include "kb/store_internal.h"

namespace hearsay {
namespace {

constexpr int kMostFindings = 1000;

class Repair {
 public:
  Repair(const Rocks& rocks, const Store& from, Store* to, int threads, RepairReport* report)
      : rocks_(rocks), from_(from), to_(*to), pool_(threads), report_(*report) {}

  absl::Status Run();

 private:
  template <typename... Words>
  void Lost(const Words&... words) {
    report_.losses.push_back(absl::StrCat(words...));
  }
  template <typename Record>
  absl::StatusOr<Record> Get(Family family, const std::string& key) const;
  absl::Status CopyRun(RunRecord run);
  // Whether all were there.
  absl::StatusOr<bool> CopyBaselines(const RunRecord& run);
  // Returns how many were kept.
  absl::StatusOr<int> CopyRounds(const RunRecord& run, bool was_complete);
  // The records of its rounds, up to the first that cannot be read, and why that is so.
  std::vector<RoundRecord> Records(const RunRecord& run, std::string* why) const;
  // How many of the rounds are whole one after the other, and why the next is not. They are copied
  // where `copy` says so.
  absl::StatusOr<int> CheckRounds(const RunRecord& run, absl::Span<const RoundRecord> records,
                                  bool copy, std::string* why);
  absl::Status CopyRound(const RunRecord& run, const RoundRecord& record, const RunCheck& check);
  absl::Status CopyKept(const RunRecord& run, const RunCheck& check);
  absl::Status CopyTexts();

  const Rocks& rocks_;
  const Store& from_;
  Store& to_;
  ThreadPool pool_;
  RepairReport& report_;
};

template <typename Record>
absl::StatusOr<Record> Repair::Get(Family family, const std::string& key) const {
  const absl::StatusOr<std::string> value = rocks_.Get(family, key);
  if (!value.ok()) return value.status();
  Record record;
  if (!record.ParseFromString(*value)) return absl::DataLossError("it does not decode");
  return record;
}

absl::Status Repair::Run() {
  const int last = rocks_.LastNumber(kRuns);
  for (int number = 1; number <= last; ++number) {
    absl::StatusOr<RunRecord> run = Get<RunRecord>(kRuns, RunKey(number));
    if (absl::IsNotFound(run.status())) continue;
    CheckReport report;
    Findings findings(1, report);
    if (!run.ok()) {
      Lost("R", number, ": all of it, since its record cannot be read (", run.status().message(),
           ")");
    } else if (!CheckRunRecord(*run, number, &findings) || run->run() != number) {
      Lost("R", number, ": all of it, since its record makes no sense");
    } else if (absl::Status s = CopyRun(*std::move(run)); !s.ok()) {
      return s;
    }
  }
  if (absl::Status s = CopyTexts(); !s.ok()) return s;
  return to_.Flush();
}

absl::Status Repair::CopyRun(RunRecord run) {
  const bool was_complete = run.state() == RunRecord::COMPLETE;
  // Resumable until all is there, and after that where something is missing.
  run.set_state(RunRecord::RUNNING);
  if (absl::Status s = to_.PutRun(run); !s.ok()) return s;
  const absl::StatusOr<bool> baselines = CopyBaselines(run);
  if (!baselines.ok()) return baselines.status();
  const absl::StatusOr<int> kept = CopyRounds(run, was_complete);
  if (!kept.ok()) return kept.status();
  ++report_.runs;
  report_.rounds += *kept;
  if (was_complete && *baselines && *kept == run.rounds()) {
    run.set_state(RunRecord::COMPLETE);
    return to_.PutRun(run);
  }
  report_.resumable.push_back(run.run());
  return absl::OkStatus();
}

absl::StatusOr<bool> Repair::CopyBaselines(const RunRecord& run) {
  bool all = true;
  for (const int problem : run.problems()) {
    const absl::StatusOr<BaselineBlock> baselines = from_.Baselines(run.run(), problem);
    CheckReport report;
    Findings findings(1, report);
    if (baselines.ok()) CheckBaselines(*baselines, run, problem, &findings);
    if (baselines.ok() && report.findings.empty()) {
      absl::Status s = to_.PutBaselines(run.run(), problem, *baselines);
      if (!s.ok()) return s;
      continue;
    }
    all = false;
    Lost("R", run.run(), ": the baselines of ", FormatProblem(problem),
         ", which resuming makes anew (",
         baselines.ok() ? report.findings[0].problem : baselines.status().message(), ")");
  }
  return all;
}

std::vector<RoundRecord> Repair::Records(const RunRecord& run, std::string* why) const {
  std::vector<RoundRecord> records;
  for (int round = 0; round < run.rounds(); ++round) {
    absl::StatusOr<RoundRecord> record = Get<RoundRecord>(kRounds, RoundKey(run.run(), round));
    if (!record.ok()) {
      *why = absl::IsNotFound(record.status()) ? "it has no record"
                                               : std::string(record.status().message());
      break;
    }
    if (record->run() != run.run() || record->round() != round) {
      *why = "its record is another's";
      break;
    }
    records.push_back(*std::move(record));
  }
  return records;
}

absl::StatusOr<int> Repair::CheckRounds(const RunRecord& run, absl::Span<const RoundRecord> records,
                                        bool copy, std::string* why) {
  RunCheck check(from_, run, &pool_);
  CheckReport report;
  Findings findings(kMostFindings, report);
  check.CheckKept(records, &findings);
  int whole = 0;
  for (; whole < static_cast<int>(records.size()); ++whole) {
    CheckReport counts;
    check.Check(records[whole], &findings, &counts);
    for (const Finding& finding : report.findings) {
      *why = absl::StrCat(finding.where, ": ", finding.problem);
      return whole;
    }
    if (!copy) continue;
    absl::Status s = CopyRound(run, records[whole], check);
    if (!s.ok()) return s;
    report_.attempts += counts.attempts;
  }
  if (copy && whole > 0) {
    if (absl::Status s = CopyKept(run, check); !s.ok()) return s;
  }
  return whole;
}

absl::StatusOr<int> Repair::CopyRounds(const RunRecord& run, bool was_complete) {
  std::string why;
  const std::vector<RoundRecord> records = Records(run, &why);
  int last = was_complete ? run.rounds() - 1 : static_cast<int>(records.size()) - 1;
  for (int round = last + 1; round < run.rounds(); ++round) {
    if (!absl::IsNotFound(rocks_.Get(kRounds, RoundKey(run.run(), round)).status())) last = round;
  }
  const bool dropped = std::any_of(records.begin(), records.end(),
                                   [](const RoundRecord& record) { return record.dropped(); });
  absl::StatusOr<int> whole = CheckRounds(run, records, /*copy=*/!dropped, &why);
  if (!whole.ok()) return whole;
  int kept = *whole;
  if (dropped) {
    // A run goes on from a round that has its attempts, and with no more than what the rounds up to
    // it have left behind; where it keeps each k-th, later ones have added to that.
    const bool every = ParseRetention(run.retain())->kind == Retention::Kind::kEvery;
    if (kept <= last && (kept == 0 || every || records[kept - 1].dropped())) kept = 0;
    const absl::StatusOr<int> copied =
        CheckRounds(run, absl::MakeSpan(records).first(kept), /*copy=*/true, &why);
    if (!copied.ok()) return copied;
  }
  if (last < kept) return kept;
  Lost("R", run.run(), ": ",
       last == kept ? absl::StrCat("round ", kept) : absl::StrCat("rounds ", kept, " to ", last),
       ", since round ", *whole, " is not whole (", why, ")",
       kept < *whole ? absl::StrCat(" and a run that retains ", run.retain(),
                                    " cannot go on from those before it")
                     : "");
  return kept;
}

absl::Status Repair::CopyKept(const RunRecord& run, const RunCheck& check) {
  Fold fold;
  for (int slot = 0; slot < run.problems_size(); ++slot) {
    std::vector<KeptBlock> blocks = ChangedBlocks({}, check.kept(static_cast<size_t>(slot)));
    std::move(blocks.begin(), blocks.end(), std::back_inserter(fold.claims));
  }
  return fold.claims.empty() ? absl::OkStatus() : to_.CommitFold(run.run(), fold);
}

absl::Status Repair::CopyRound(const RunRecord& run, const RoundRecord& record,
                               const RunCheck& check) {
  if (record.dropped()) return to_.CommitRound(record, {});
  std::vector<std::vector<EncodedBlock>> encoded(run.problems_size());
  pool_.For(run.problems_size(), [&](int slot) {
    const ProblemBlocks& blocks = check.blocks(static_cast<size_t>(slot));
    for (const AttemptBlock& block : blocks) {
      EncodedBlock& to = encoded[slot].emplace_back();
      to.first = block.first;
      to.attempts = EncodeBlock(block);
    }
  });
  std::vector<EncodedBlock> all;
  for (std::vector<EncodedBlock>& blocks : encoded) {
    std::move(blocks.begin(), blocks.end(), std::back_inserter(all));
  }
  return to_.CommitRound(record, all);
}

absl::Status Repair::CopyTexts() {
  const int last = rocks_.LastNumber(kTexts);
  for (int number = 1; number <= last; ++number) {
    absl::StatusOr<TextRecord> text = Get<TextRecord>(kTexts, TextKey(number));
    if (text.ok()) {
      ++report_.texts;
    } else {
      Lost("T", number, ": the text (", text.status().message(), ")");
      text = TextRecord();
      text->set_origin("lost by damage, and left empty by hearsay kb repair");
    }
    const absl::StatusOr<int> put = to_.PutText(*text);
    if (!put.ok()) return put.status();
  }
  return absl::OkStatus();
}

// Goes away with what is in it.
class Scratch {
 public:
  explicit Scratch(std::string path) : path_(std::move(path)) {}
  ~Scratch() {
    std::error_code ignored;  // what stays is named by its path, and takes no more than links
    if (used_) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& Use() {
    used_ = true;
    return path_;
  }
  const std::string& path() const { return path_; }

 private:
  const std::string path_;
  bool used_ = false;
};

absl::StatusOr<std::unique_ptr<Rocks>> OpenWhatIsThere(const std::string& from, Scratch* scratch,
                                                       int threads, RepairReport* report) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  absl::StatusOr<std::unique_ptr<Rocks>> rocks = Rocks::Open(from, Store::Mode::kRead, env);
  bool rebuild = false;
  if (absl::IsDataLoss(rocks.status())) {
    report->losses.emplace_back(rocks.status().message());
    rocks = Rocks::OpenDamaged(from, env);
    rebuild = absl::IsDataLoss(rocks.status());
  }
  if (rocks.ok()) {
    for (const FileFault& fault : (*rocks)->FindFaults(threads)) {
      report->losses.push_back(absl::StrCat(fault.file, " ", fault.problem));
      rebuild = rebuild || fault.unknown;
    }
  }
  if (!rebuild) return rocks;
  if (std::filesystem::exists(scratch->path())) {
    return absl::AlreadyExistsError(
        absl::StrCat("'", scratch->path(), "' is there already, and is needed for the repair"));
  }
  return Rocks::Rebuild(from, scratch->Use(), env);
}

}  // namespace

absl::StatusOr<RepairReport> RepairKb(const std::string& from, const std::string& to, int threads) {
  std::error_code error;
  if (std::filesystem::exists(to, error)) {
    return absl::AlreadyExistsError(
        absl::StrCat("'", to, "' is there already; a repaired kb is written to a new directory"));
  }
  for (std::filesystem::path above = std::filesystem::absolute(to, error).parent_path();
       above.has_relative_path(); above = above.parent_path()) {
    if (!std::filesystem::equivalent(above, from, error)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("'", to, "' lies in '", from, "', and a damaged kb is never written to"));
  }
  RepairReport report;
  Scratch scratch(absl::StrCat(to, ".rebuild"));
  absl::StatusOr<std::unique_ptr<Rocks>> opened = OpenWhatIsThere(from, &scratch, threads, &report);
  if (!opened.ok()) return opened.status();
  const Rocks& rocks = **opened;
  const std::unique_ptr<Store> store = NewStore(from, {}, *std::move(opened));
  absl::StatusOr<std::unique_ptr<Store>> repaired = Store::Open(to, Store::Mode::kWrite);
  if (!repaired.ok()) return repaired.status();
  const absl::Status status = Repair(rocks, *store, repaired->get(), threads, &report).Run();
  if (!status.ok()) return status;
  return report;
}

}  // namespace hearsay
