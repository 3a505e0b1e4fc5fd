// Drives the built hearsay command as a user would: a process, its exit code and what it printed.
#ifndef HEARSAY_TESTS_TOOLS_TOOLS_TESTING_H_
#define HEARSAY_TESTS_TOOLS_TOOLS_TESTING_H_

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace hearsay {

struct Ended {
  int code = -1;  // exit code, or 128 + the signal that ended it
  std::string out;
  std::string err;
};

// A directory of its own that goes away with it; commands run in it.
class Sandbox {
 public:
  Sandbox();
  ~Sandbox();
  Sandbox(const Sandbox&) = delete;
  Sandbox& operator=(const Sandbox&) = delete;

  const std::string& path() const { return path_; }
  std::string path(const std::string& name) const { return path_ + "/" + name; }
  void Write(const std::string& name, const std::string& content) const;
  std::string Read(const std::string& name) const;

  // Runs "hearsay <line>"; `line` is split at spaces.
  Ended Run(const std::string& line) const;
  // The same by a shell, which knows pipes and redirection; "hearsay" is on its path.
  Ended Shell(const std::string& line) const;
  // The same where no file may grow past `limit_bytes`, as on a full disk.
  Ended RunWithFileLimit(const std::string& line, int64_t limit_bytes) const;

  // Starts it, to be signalled and waited for.
  pid_t Start(const std::string& line) const;
  // REQUIRES: started by Start. What it printed is in out and err.
  Ended Wait(pid_t pid) const;

 private:
  std::string path_;
};

// Committed rounds of run 1 as another process sees them; 0 where there is nothing to see yet.
int CommittedRounds(const std::string& kb);
// Waits until there are `rounds`, or the process has ended.
void AwaitRounds(const std::string& kb, int rounds, pid_t pid);

// Three problems, four lanes, three rounds: some milliseconds.
inline constexpr char kTinyPlan[] = "--problems p01,p09,p71 --lanes 4 --rounds 3";

// How many lines `text` has; each must end in a line break.
int CountLines(const std::string& text);

// Records of RFC 4180. An empty line is a record with one empty field.
std::vector<std::vector<std::string>> ParseCsv(const std::string& text);

}  // namespace hearsay

#endif  // HEARSAY_TESTS_TOOLS_TOOLS_TESTING_H_
