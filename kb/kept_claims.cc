#include "kb/kept_claims.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "kb/codec.h"
#include "kb/kb.pb.h"
#include "tasks/digest.h"

namespace hearsay {
namespace {

constexpr size_t kTextBytes = 8;

absl::Status Damaged(AttemptId first, absl::string_view what) {
  return absl::DataLossError(absl::StrCat("kept claims of ", Format(first), ": ", what));
}

// The claim's place among all that a problem's lanes can write in a round.
int32_t PlaceInRound(ClaimId id) { return id.attempt().lane() * kMaxNewClaims + id.place(); }

ClaimId AtPlace(AttemptId of_problem, int round, int64_t place) {
  return ClaimId::Of(AttemptId::Of(of_problem.run(), round, of_problem.problem(),
                                   static_cast<int>(place / kMaxNewClaims)),
                     static_cast<int>(place % kMaxNewClaims));
}

// Without the run.
uint64_t Coordinates(ClaimId id) { return id.value & ((uint64_t{1} << 52) - 1); }

// Reads the parents of claims, whose count is not that of the claims.
class ParentReader {
 public:
  explicit ParentReader(const KeptClaimsRecord& record) : record_(record) {}

  bool Take(KeptClaim* claim) {
    const AttemptId own = claim->id.attempt();
    for (ClaimId& parent : claim->made.parents) {
      const uint32_t age = record_.parent_ages(ages_++);
      if (age == 0) continue;
      if (age > static_cast<uint32_t>(own.round()) || steps_ == record_.parent_steps_size()) {
        return false;
      }
      const int64_t place = int64_t{PlaceInRound(claim->id)} + record_.parent_steps(steps_++);
      if (place < 0 || place >= int64_t{kMaxLanes} * kMaxNewClaims) return false;
      parent = AtPlace(own, own.round() - static_cast<int>(age), place);
    }
    return true;
  }
  bool done() const { return steps_ == record_.parent_steps_size(); }

 private:
  const KeptClaimsRecord& record_;
  int ages_ = 0, steps_ = 0;
};

bool CountsFit(const KeptClaimsRecord& record) {
  const int n = record.steps_size();
  const auto size = static_cast<size_t>(n);
  return n >= 1 && n <= kBlockLanes * kMaxNewClaims && record.texts().size() == kTextBytes * size &&
         record.changes().size() == size && record.agents().size() == size &&
         record.parent_ages_size() == 2 * n && record.last_ages_size() == n &&
         record.carriers_size() == n && record.adopted_size() == n &&
         record.confirmed_size() == n && record.refuted_size() == n;
}

}  // namespace

bool operator==(const KeptClaim& a, const KeptClaim& b) {
  return a.id == b.id && a.made.claim == b.made.claim && a.made.change == b.made.change &&
         a.made.parents[0] == b.made.parents[0] && a.made.parents[1] == b.made.parents[1] &&
         a.agent == b.agent && a.last_round == b.last_round && a.carriers == b.carriers &&
         a.adopted == b.adopted && a.confirmed == b.confirmed && a.refuted == b.refuted;
}

const KeptClaim* FindKept(absl::Span<const KeptClaim> claims, ClaimId id) {
  const auto found =
      std::lower_bound(claims.begin(), claims.end(), id,
                       [](const KeptClaim& claim, ClaimId wanted) { return claim.id < wanted; });
  return found != claims.end() && found->id == id ? &*found : nullptr;
}

std::string KeptKey(int run, int problem) { return BaselineKey(run, problem); }

std::string KeptKey(AttemptId first) {
  const std::string key = BlockKey(first);  // run, round, problem, lane
  return absl::StrCat(key.substr(0, 4), key.substr(8, 4), key.substr(4, 4), key.substr(12));
}

absl::StatusOr<AttemptId> ParseKeptKey(absl::string_view key) {
  if (key.size() != 16) return ParseBlockKey(key);
  return ParseBlockKey(
      absl::StrCat(key.substr(0, 4), key.substr(8, 4), key.substr(4, 4), key.substr(12)));
}

std::string EncodeKept(absl::Span<const KeptClaim> claims) {
  KeptClaimsRecord record;
  int32_t before = claims[0].id.attempt().lane() / kBlockLanes * kBlockLanes * kMaxNewClaims;
  std::string texts(kTextBytes * claims.size(), '\0');
  for (size_t i = 0; i < claims.size(); ++i) {
    const KeptClaim& claim = claims[i];
    const int32_t place = PlaceInRound(claim.id);
    const int round = claim.id.attempt().round();
    record.add_steps(static_cast<uint32_t>(place - before));
    before = place;
    // Equal parts of the texts together, which compresses.
    for (size_t b = 0; b < kTextBytes; ++b) {
      texts[b * claims.size() + i] = static_cast<char>(claim.made.claim.bits >> (8 * b) & 0xff);
    }
    record.mutable_changes()->push_back(static_cast<char>(claim.made.change));
    record.mutable_agents()->push_back(static_cast<char>(claim.agent));
    for (const ClaimId parent : claim.made.parents) {
      record.add_parent_ages(
          parent.none() ? 0 : static_cast<uint32_t>(round - parent.attempt().round()));
      if (!parent.none()) record.add_parent_steps(PlaceInRound(parent) - place);
    }
    record.add_last_ages(static_cast<uint32_t>(claim.last_round - round));
    record.add_carriers(static_cast<uint32_t>(claim.carriers));
    record.add_adopted(static_cast<uint32_t>(claim.adopted));
    record.add_confirmed(static_cast<uint32_t>(claim.confirmed));
    record.add_refuted(static_cast<uint32_t>(claim.refuted));
  }
  record.set_texts(std::move(texts));
  return record.SerializeAsString();
}

absl::StatusOr<std::vector<KeptClaim>> DecodeKept(AttemptId first, absl::string_view bytes) {
  KeptClaimsRecord record;
  if (bytes.size() > INT32_MAX ||
      !record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return Damaged(first, "is no KeptClaimsRecord");
  }
  if (!CountsFit(record)) return Damaged(first, "its columns differ in length");
  std::vector<KeptClaim> claims(static_cast<size_t>(record.steps_size()));
  const int64_t begin = int64_t{first.lane()} * kMaxNewClaims;
  const int64_t end = begin + int64_t{kBlockLanes} * kMaxNewClaims;
  int64_t place = begin;
  ParentReader parents(record);
  for (size_t i = 0; i < claims.size(); ++i) {
    KeptClaim& claim = claims[i];
    const int n = static_cast<int>(i);
    place += record.steps(n);
    if (place >= end || (i > 0 && record.steps(n) == 0)) {
      return Damaged(first, "a claim is outside its block or out of order");
    }
    claim.id = AtPlace(first, first.round(), place);
    for (size_t b = 0; b < kTextBytes; ++b) {
      claim.made.claim.bits |=
          static_cast<uint64_t>(static_cast<uint8_t>(record.texts()[b * claims.size() + i]))
          << (8 * b);
    }
    claim.made.change = static_cast<Change>(record.changes()[i]);
    claim.agent = static_cast<uint8_t>(record.agents()[i]);
    if (!parents.Take(&claim)) return Damaged(first, "a parent is out of range");
    claim.last_round = first.round() + static_cast<int32_t>(record.last_ages(n));
    claim.carriers = static_cast<int32_t>(record.carriers(n));
    claim.adopted = static_cast<int32_t>(record.adopted(n));
    claim.confirmed = static_cast<int32_t>(record.confirmed(n));
    claim.refuted = static_cast<int32_t>(record.refuted(n));
    if (record.last_ages(n) >= kMaxRounds || claim.carriers < 0 || claim.adopted < 0 ||
        claim.confirmed < 0 || claim.refuted < 0) {
      return Damaged(first, "a count is out of range");
    }
  }
  if (!parents.done()) return Damaged(first, "there are more parents than claims have");
  return claims;
}

uint64_t KeptDigest(const KeptClaim& claim) {
  const AttemptId author = claim.id.attempt();
  AttemptDigest digest(static_cast<uint32_t>(author.round()),
                       static_cast<uint32_t>(author.problem()),
                       static_cast<uint32_t>(author.lane()));
  digest.Add(static_cast<uint64_t>(claim.id.place()) << 8 | claim.agent);
  digest.Add(claim.made.claim, claim.made.change);
  for (const ClaimId parent : claim.made.parents) digest.Add(Coordinates(parent));
  for (const int32_t count :
       {claim.last_round, claim.carriers, claim.adopted, claim.confirmed, claim.refuted}) {
    digest.Add(static_cast<uint64_t>(count));
  }
  return digest.Finish();
}

}  // namespace hearsay
