#include "tests/tools/tools_testing.h"

#include <errno.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "kb/store.h"

namespace hearsay {
namespace {

constexpr useconds_t kPollMicroseconds = 2000;

std::string Slurp(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

// Runs in the child between fork and exec.
void EnterSandbox(const std::string& directory, const std::string& out, const std::string& err,
                  int64_t file_limit_bytes) {
  if (chdir(directory.c_str()) != 0) _exit(125);
  const int out_fd = open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  const int err_fd = open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (dup2(out_fd, STDOUT_FILENO) < 0 || dup2(err_fd, STDERR_FILENO) < 0) _exit(125);
  if (file_limit_bytes > 0) {
    signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{static_cast<rlim_t>(file_limit_bytes),
                       static_cast<rlim_t>(file_limit_bytes)};
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(125);
  }
}

pid_t Spawn(const std::string& directory, const std::vector<std::string>& words,
            int64_t file_limit_bytes) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const pid_t pid = fork();
  if (pid == 0) {
    EnterSandbox(directory, directory + "/.out", directory + "/.err", file_limit_bytes);
    execv(argv[0], argv.data());
    _exit(126);
  }
  EXPECT_GT(pid, 0);
  return pid;
}

std::vector<std::string> WordsOf(const std::string& line) {
  return absl::StrSplit(absl::StrCat(HEARSAY_BINARY, " ", line), ' ', absl::SkipEmpty());
}

}  // namespace

Sandbox::Sandbox() {
  std::string pattern = (std::filesystem::temp_directory_path() / "hearsay_test.XXXXXX").string();
  EXPECT_NE(mkdtemp(pattern.data()), nullptr);
  path_ = pattern;
}

Sandbox::~Sandbox() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void Sandbox::Write(const std::string& name, const std::string& content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

std::string Sandbox::Read(const std::string& name) const { return Slurp(path(name)); }

pid_t Sandbox::Start(const std::string& line) const { return Spawn(path_, WordsOf(line), 0); }

Ended Sandbox::Wait(pid_t pid) const {
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, Slurp(path(".out")), Slurp(path(".err"))};
}

Ended Sandbox::Run(const std::string& line) const { return Wait(Start(line)); }

Ended Sandbox::Shell(const std::string& line) const {
  const std::string directory = std::filesystem::path(HEARSAY_BINARY).parent_path().string();
  const std::string script = absl::StrCat("PATH='", directory, "':$PATH; ", line);
  return Wait(Spawn(path_, {"/bin/bash", "-c", script}, 0));
}

Ended Sandbox::RunWithFileLimit(const std::string& line, int64_t limit_bytes) const {
  return Wait(Spawn(path_, WordsOf(line), limit_bytes));
}

int CommittedRounds(const std::string& kb) {
  const auto store = Store::Open(kb, Store::Mode::kRead);
  if (!store.ok()) return 0;
  const auto rounds = (*store)->Rounds(1);
  return rounds.ok() ? static_cast<int>(rounds->size()) : 0;
}

void AwaitRounds(const std::string& kb, int rounds, pid_t pid) {
  siginfo_t ended = {};
  while (CommittedRounds(kb) < rounds) {
    waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
    if (ended.si_pid == pid) return;
    usleep(kPollMicroseconds);
  }
}

int CountLines(const std::string& text) {
  EXPECT_TRUE(text.empty() || text.back() == '\n') << text;
  return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
}

std::vector<std::vector<std::string>> ParseCsv(const std::string& text) {
  std::vector<std::vector<std::string>> records;
  std::vector<std::string> record{""};
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (quoted) {
      if (text[i] != '"') {
        record.back() += text[i];
      } else if (text.substr(i + 1, 1) == "\"") {
        record.back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (text[i] == '"') {
      EXPECT_EQ(record.back(), "") << "a quote inside a bare field";
      quoted = true;
    } else if (text[i] == ',') {
      record.emplace_back();
    } else if (text[i] == '\r') {
      EXPECT_EQ(text.substr(i + 1, 1), "\n");
      ++i;
      records.push_back(record);
      record = {""};
    } else {
      record.back() += text[i];
    }
  }
  EXPECT_FALSE(quoted);
  return records;
}

}  // namespace hearsay
