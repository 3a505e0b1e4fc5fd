// The text of tasks/data/*.textproto, built into the library.
#ifndef HEARSAY_TASKS_DATA_EMBEDDED_H_
#define HEARSAY_TASKS_DATA_EMBEDDED_H_

namespace hearsay {

extern const char kProblemsText[];
extern const char kHardwareText[];
extern const char kDslsText[];
extern const char kRewritesText[];

}  // namespace hearsay

#endif  // HEARSAY_TASKS_DATA_EMBEDDED_H_
