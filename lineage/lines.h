// Closure lines: a closure together with all later versions of it that still close the same
// question. A line lives from the round its first version was born in to the last round in which
// any note carries any of its versions. A version merged from two lines is on both.
//
// Pure functions of a table; for any thread.
#ifndef HEARSAY_LINEAGE_LINES_H_
#define HEARSAY_LINEAGE_LINES_H_

#include <cstdint>
#include <vector>

#include "lineage/claim_table.h"

namespace hearsay {

// When a changed claim still counts as its parent's: both are closures of one subject and ...
enum class Kinship {
  kAnyClosure,  // ... "cannot work" may have become "does not pay", or the other way round
  kSameStance,  // ... both say the same
};

inline bool Continues(const ClaimRow& parent, const ClaimRow& child, Kinship kinship) {
  // The child first: whoever asks has it at hand, and most are no closures.
  return child.claim.is_closure() && parent.claim.is_closure() &&
         parent.claim.subject() == child.claim.subject() &&
         (kinship == Kinship::kAnyClosure || parent.claim.stance() == child.claim.stance());
}

// How a line ended.
enum class LineEnd : uint8_t {
  kAlive = 0,      // carried in the last committed round
  kCorrected = 1,  // readers of its last notes refuted it, and one of them wrote a correction
  kRefuted = 2,    // they refuted it and left it out
  kReplaced = 3,  // it was changed or merged, without being refuted, into what does not continue it
  kNotCopied = 4,  // nobody tested it and nobody handed it on
};
inline constexpr int kLineEndCount = 5;
const char* Name(LineEnd end);  // "alive", "corrected" ...

struct Line {
  RowIndex root;
  int32_t last_round;  // the last in which a note carries any version
  LineEnd end;

  // Rounds carried, the one it was born in included.
  int rounds(const ClaimTable& table) const { return last_round - table.row(root).first_round + 1; }
};

// What is the same for all lines that a row is on, by row.
struct RowLineage {
  // The last round in which the row or anything that continues it is carried.
  std::vector<int32_t> last_round;
  // The earliest round in which anything the row continues was born.
  std::vector<int32_t> born_round;
  // The row is no longer hedged, and something it continues was.
  std::vector<uint8_t> lost_hedge;
  // The row continues an unsupported closure, or is one.
  std::vector<uint8_t> unsupported;
};
RowLineage TraceRows(const ClaimTable& table, Kinship kinship);

// All lines whose root `is_root` holds for, ascending by root. The root of a line is a closure that
// continues no other closure.
std::vector<Line> FindLines(const ClaimTable& table, Kinship kinship, const RowLineage& lineage,
                            bool (*is_root)(const ClaimTable&, RowIndex));

// The versions of the line of `root`, ascending, itself first.
std::vector<RowIndex> VersionsOf(const ClaimTable& table, RowIndex root, Kinship kinship);

}  // namespace hearsay

#endif  // HEARSAY_LINEAGE_LINES_H_
