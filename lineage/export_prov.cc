// PROV-JSON (W3C member submission, 24 April 2013): a claim is an Entity, an attempt an Activity,
// an agent an Agent, a round a Bundle. In JSON the records of one kind stand together, so each
// round is read once for each kind.
#include "absl/strings/str_cat.h"
#include "lineage/export_writers.h"
#include "lineage/markup.h"
#include "lineage/run_set.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// Prefix of what is ours; the names after it are the ids that every output has.
constexpr char kNamespace[] = "urn:hearsay:";

std::string Quoted(absl::string_view local) { return absl::StrCat("\"hs:", local, "\""); }
// A note is what an attempt wrote; its name is the attempt's with this behind it.
std::string NoteName(AttemptId attempt) { return Quoted(absl::StrCat(Format(attempt), ".note")); }
std::string AgentId(int agent) { return absl::StrCat("agent.", agent); }

std::string Typed(absl::string_view type) {
  return absl::StrCat("\"prov:type\":{\"$\":\"", type, "\",\"type\":\"prov:QUALIFIED_NAME\"}");
}

// The fields of a node as attributes, the first with a comma before it.
void AppendAttributes(const ExportRow& row, std::string& out) {
  const absl::Span<const ExportField> fields = NodeFields();
  // The first says which kind of node it is, as prov:type does.
  for (size_t f = 1; f < row.size(); ++f) {
    if (const auto* text = std::get_if<std::string>(&row[f])) {
      const bool words = absl::string_view(fields[f].name) == "words";
      absl::StrAppend(&out, ",\"", words ? "prov:label" : absl::StrCat("hs:", fields[f].name),
                      "\":", JsonString(*text));
    } else if (const auto* integer = std::get_if<int64_t>(&row[f])) {
      absl::StrAppend(&out, ",\"hs:", fields[f].name, "\":");
      if (fields[f].type == FieldType::kBoolean) {
        out += *integer != 0 ? "true" : "false";
      } else {
        absl::StrAppend(&out, *integer);
      }
    } else if (const auto* real = std::get_if<double>(&row[f])) {
      absl::StrAppend(&out, ",\"hs:", fields[f].name, "\":", ShortestReal(*real));
    }
  }
}

// Writes objects of objects: the commas, and blank names for relations.
class ProvJson {
 public:
  explicit ProvJson(const ExportSink& sink) : out_(sink) {}
  std::string& text() { return out_.text(); }
  absl::Status Step() { return out_.Step(); }
  absl::Status Finish() { return out_.Finish(); }

  // `"key":{`, with a comma where it is not the first of its object.
  void Open(absl::string_view key) {
    absl::StrAppend(&text(), empty_ ? "\n" : ",\n", "\"", key, "\":{");
    empty_ = true;
  }
  void Close() {
    text() += "}";
    empty_ = false;
  }
  // `name:{body}`.
  void Record(absl::string_view name, absl::string_view body) {
    absl::StrAppend(&text(), empty_ ? "\n" : ",\n", name, ":{", body, "}");
    empty_ = false;
  }
  void Relation(absl::string_view body) { Record(absl::StrCat("\"_:r", ++relations_, "\""), body); }

 private:
  ExportText out_;
  bool empty_ = true;  // the object that was opened last
  int64_t relations_ = 0;
};

// The records of one round.
class Bundle {
 public:
  Bundle(ExportSource& source, int round, ProvJson& json, ExportCounts& counts)
      : source_(source), round_(round), json_(json), counts_(counts) {}

  absl::Status Write() {
    absl::Status status = Section("entity", &Bundle::Entities);
    if (status.ok()) status = Section("activity", &Bundle::Activities);
    if (status.ok()) status = Section("wasAssociatedWith", &Bundle::Associations);
    if (status.ok()) status = Links("wasInformedBy", &Bundle::Informed);
    if (status.ok()) status = Links("used", &Bundle::Used);
    if (status.ok()) status = Section("wasGeneratedBy", &Bundle::Generations);
    if (status.ok()) status = Section("hadMember", &Bundle::Members);
    if (status.ok()) status = Links("wasDerivedFrom", &Bundle::Derived);
    if (status.ok()) status = Links("wasInvalidatedBy", &Bundle::Invalidated);
    return status;
  }

 private:
  absl::Status Section(absl::string_view key, void (Bundle::*write)(const AttemptBlock&, int)) {
    json_.Open(key);
    const absl::Status status =
        source_.VisitRound(round_, [&](const AttemptBlock& block, int i) -> absl::Status {
          (this->*write)(block, i);
          return json_.Step();
        });
    json_.Close();
    return status;
  }

  absl::Status Links(absl::string_view key, bool (Bundle::*write)(const ExportLink&)) {
    json_.Open(key);
    const absl::Status status =
        source_.VisitRound(round_, [&](const AttemptBlock& block, int i) -> absl::Status {
          int64_t left_out = 0;
          const auto links = source_.LinksOf(block, i, left_out);
          if (!links.ok()) return links.status();
          // What is left out is met in every section, and counted in one.
          if (key == "used") counts_.left_out += left_out;
          for (const ExportLink& link : *links) {
            if ((this->*write)(link)) ++counts_.links[static_cast<int>(link.kind)];
          }
          return json_.Step();
        });
    json_.Close();
    return status;
  }

  static bool HasNote(const AttemptBlock& block, int i) {
    return block.has_claims() && !block.note_of(i).empty();
  }

  void Entities(const AttemptBlock& block, int i) {
    const AttemptId attempt = block.id(i);
    if (!block.has_claims()) return;
    const int made = static_cast<int>(block.new_claims_of(i).size());
    for (int place = 0; place < made; ++place) {
      std::string body = Typed("hs:Claim");
      AppendAttributes(source_.ClaimRow(block, i, place), body);
      json_.Record(Quoted(Format(ClaimId::Of(attempt, place))), body);
      ++counts_.claims;
    }
    if (HasNote(block, i)) json_.Record(NoteName(attempt), Typed("prov:Collection"));
  }

  void Activities(const AttemptBlock& block, int i) {
    std::string body = Typed("hs:Attempt");
    AppendAttributes(source_.AttemptRow(block, i), body);
    json_.Record(Quoted(Format(block.id(i))), body);
    ++counts_.attempts;
  }

  void Associations(const AttemptBlock& block, int i) {
    json_.Relation(absl::StrCat("\"prov:activity\":", Quoted(Format(block.id(i))),
                                ",\"prov:agent\":", Quoted(AgentId(block.outcomes[i].agent))));
  }

  bool Informed(const ExportLink& link) {
    if (link.kind != LinkKind::kSource) return false;
    json_.Relation(absl::StrCat("\"prov:informed\":", Quoted(link.To()),
                                ",\"prov:informant\":", Quoted(link.From())));
    return true;
  }

  bool Used(const ExportLink& link) {
    if (link.kind != LinkKind::kAdopted && link.kind != LinkKind::kConfirmed) return false;
    json_.Relation(absl::StrCat("\"prov:activity\":", Quoted(link.To()), ",\"prov:entity\":",
                                Quoted(link.From()), ",\"prov:role\":", JsonString(NameOf(link))));
    return true;
  }

  void Generations(const AttemptBlock& block, int i) {
    if (!block.has_claims()) return;
    const AttemptId attempt = block.id(i);
    const std::string by = absl::StrCat(",\"prov:activity\":", Quoted(Format(attempt)));
    int place = 0;
    for (const NewClaim& made : block.new_claims_of(i)) {
      json_.Relation(absl::StrCat("\"prov:entity\":", Quoted(Format(ClaimId::Of(attempt, place++))),
                                  by, ",\"hs:change\":", JsonString(Name(made.change))));
      ++counts_.links[static_cast<int>(LinkKind::kWrote)];
    }
    if (HasNote(block, i)) json_.Relation(absl::StrCat("\"prov:entity\":", NoteName(attempt), by));
  }

  // PROV-JSON lets one record name all members of a collection.
  void Members(const AttemptBlock& block, int i) {
    if (!HasNote(block, i)) return;
    std::string members;
    for (ClaimId id : block.note_of(i)) {
      if (id.attempt().round() < source_.filter().first_round) continue;
      absl::StrAppend(&members, members.empty() ? "" : ",", Quoted(Format(id)));
    }
    if (members.empty()) return;
    json_.Relation(absl::StrCat("\"prov:collection\":", NoteName(block.id(i)), ",\"prov:entity\":[",
                                members, "]"));
  }

  bool Derived(const ExportLink& link) {
    if (link.kind == LinkKind::kCopied) {
      json_.Relation(absl::StrCat("\"prov:generatedEntity\":", NoteName(link.by),
                                  ",\"prov:usedEntity\":", Quoted(Format(link.claim)),
                                  ",\"prov:activity\":", Quoted(Format(link.by)), ",",
                                  Typed("prov:Quotation")));
      return true;
    }
    if (link.kind != LinkKind::kChanged) return false;
    json_.Relation(absl::StrCat("\"prov:generatedEntity\":", Quoted(link.To()),
                                ",\"prov:usedEntity\":", Quoted(link.From()), ",\"prov:activity\":",
                                Quoted(Format(link.by)), ",", Typed("prov:Revision"),
                                ",\"hs:change\":", JsonString(NameOf(link))));
    return true;
  }

  bool Invalidated(const ExportLink& link) {
    if (link.kind != LinkKind::kRefuted) return false;
    json_.Relation(absl::StrCat("\"prov:entity\":", Quoted(link.From()),
                                ",\"prov:activity\":", Quoted(link.To())));
    return true;
  }

  ExportSource& source_;
  const int round_;
  ProvJson& json_;
  ExportCounts& counts_;
};

std::string BundleId(int run, int round) { return absl::StrCat("hs:R", run, ":r", round); }

}  // namespace

absl::StatusOr<ExportCounts> WriteProvJson(ExportSource& source, const ExportSink& sink) {
  const absl::StatusOr<std::vector<RoundRecord>> rounds = source.Rounds();
  if (!rounds.ok()) return rounds.status();
  const RunRecord& run = source.run();
  ProvJson json(sink);
  ExportCounts counts;
  json.text() += "{";
  json.Open("prefix");
  absl::StrAppend(&json.text(), "\"hs\":", JsonString(kNamespace));
  json.Close();
  json.Open("agent");
  for (int agent = 0; agent < run.agents_size(); ++agent) {
    json.Record(Quoted(AgentId(agent)),
                absl::StrCat(Typed("prov:SoftwareAgent"),
                             ",\"prov:label\":", JsonString(AgentName(run, agent))));
  }
  json.Close();
  json.Open("entity");
  for (const RoundRecord& round : *rounds) {
    json.Record(absl::StrCat("\"", BundleId(run.run(), round.round()), "\""),
                absl::StrCat(Typed("prov:Bundle"), ",\"hs:digest\":\"",
                             absl::Hex(round.digest(), absl::kZeroPad16), "\""));
  }
  json.Close();
  json.Open("bundle");
  absl::Status status;
  for (const RoundRecord& round : *rounds) {
    json.Open(BundleId(run.run(), round.round()));
    status = Bundle(source, round.round(), json, counts).Write();
    if (!status.ok()) return status;
    json.Close();
  }
  json.Close();
  json.text() += "}\n";
  status = json.Finish();
  if (!status.ok()) return status;
  return counts;
}

}  // namespace hearsay
