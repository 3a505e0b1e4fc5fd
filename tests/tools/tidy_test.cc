// The rules of the source tree that a compiler does not know: formatting, which folder may include
// which, dead files, header guards, length.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace hearsay {
namespace {

namespace fs = std::filesystem;

const std::set<std::string> kFolders = {"tasks", "kb", "executor", "rounds", "lineage", "tools"};
constexpr int kMostLines = 500;

struct Source {
  std::string path;  // from the root of the tree, as in "kb/store.cc"
  std::string folder;
  std::string text;
};

std::string ReadText(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// All C++ of ours, tests included.
const std::vector<Source>& Sources() {
  static const auto& sources = *[] {
    auto* found = new std::vector<Source>;
    const fs::path root = HEARSAY_SOURCE_DIR;
    std::set<std::string> folders = kFolders;
    folders.insert("tests");
    for (const std::string& folder : folders) {
      for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
        const std::string extension = entry.path().extension().string();
        if (!entry.is_regular_file() ||
            std::set<std::string>{".h", ".cc", ".cu"}.count(extension) == 0) {
          continue;
        }
        found->push_back(
            {fs::relative(entry.path(), root).generic_string(), folder, ReadText(entry.path())});
      }
    }
    std::sort(found->begin(), found->end(),
              [](const Source& a, const Source& b) { return a.path < b.path; });
    return found;
  }();
  return sources;
}

// What stands between quotes or angle brackets after #include.
std::vector<std::string> IncludesOf(const Source& source) {
  std::vector<std::string> includes;
  for (absl::string_view line : absl::StrSplit(source.text, '\n')) {
    if (!absl::ConsumePrefix(&line, "#include ")) continue;
    line.remove_prefix(1);
    includes.emplace_back(line.substr(0, line.find_first_of("\">")));
  }
  return includes;
}

// Words of a list of CMake's, comments left out.
std::vector<std::string> WordsOf(const fs::path& list) {
  std::vector<std::string> words;
  for (absl::string_view line : absl::StrSplit(ReadText(list), '\n')) {
    const std::vector<std::string> more =
        absl::StrSplit(line.substr(0, line.find('#')), absl::ByAnyChar(" \t()"));
    words.insert(words.end(), more.begin(), more.end());
  }
  return words;
}

TEST(TidyTest, FoldersIncludeOnlyWhatTheyRestOn) {
  const std::map<std::string, std::set<std::string>> allowed = {
      {"tasks", {"tasks"}},
      {"kb", {"kb", "tasks"}},
      {"executor", {"executor", "tasks"}},
      {"rounds", {"rounds", "executor", "kb", "tasks"}},
      {"lineage", {"lineage", "kb", "tasks"}},
      {"tools", kFolders},
  };
  for (const Source& source : Sources()) {
    if (source.folder == "tests") continue;
    for (const std::string& include : IncludesOf(source)) {
      const std::string folder = include.substr(0, include.find('/'));
      if (kFolders.count(folder) == 0 && folder != "tests") continue;
      EXPECT_EQ(allowed.at(source.folder).count(folder), 1u)
          << source.path << " includes " << include;
    }
  }
}

TEST(TidyTest, LibrariesAreIncludedInFewFiles) {
  const struct {
    const char* library;
    std::set<std::string> files;
  } rules[] = {
      {"rocksdb/",
       {"kb/rocks.h", "kb/rocks.cc", "kb/rocks_files.cc", "kb/store.cc", "kb/store_internal.h"}},
      {"graphviz/", {"lineage/graph_cgraph.cc"}},
      {"CLI/", {"tools/args.cc"}},
  };
  for (const Source& source : Sources()) {
    if (source.folder == "tests") continue;
    for (const std::string& include : IncludesOf(source)) {
      for (const auto& rule : rules) {
        if (!absl::StartsWith(include, rule.library)) continue;
        EXPECT_EQ(rule.files.count(source.path), 1u) << source.path << " includes " << include;
      }
    }
  }
}

TEST(TidyTest, EverySourceIsBuilt) {
  for (const Source& source : Sources()) {
    // Test programs take all files of their folder.
    if (source.folder == "tests" || absl::EndsWith(source.path, ".h")) continue;
    const fs::path path = fs::path(HEARSAY_SOURCE_DIR) / source.path;
    const std::vector<std::string> words = WordsOf(path.parent_path() / "CMakeLists.txt");
    EXPECT_EQ(std::count(words.begin(), words.end(), path.filename().string()), 1)
        << source.path << " is not in its folder's CMakeLists.txt";
  }
}

TEST(TidyTest, TestsAreNamedSoThatTheyAreFound) {
  for (const Source& source : Sources()) {
    if (source.folder != "tests" || !absl::EndsWith(source.path, ".cc")) continue;
    EXPECT_TRUE(absl::EndsWith(source.path, "_test.cc") ||
                absl::EndsWith(source.path, "_testing.cc") ||
                absl::EndsWith(source.path, "_bench.cc") || absl::EndsWith(source.path, "_fuzz.cc"))
        << source.path;
  }
}

TEST(TidyTest, HeadersAreGuardedByTheirPath) {
  for (const Source& source : Sources()) {
    if (!absl::EndsWith(source.path, ".h")) continue;
    const std::string guard = absl::StrCat(
        "HEARSAY_",
        absl::AsciiStrToUpper(absl::StrReplaceAll(source.path, {{"/", "_"}, {".", "_"}})), "_");
    EXPECT_TRUE(absl::StrContains(source.text,
                                  absl::StrCat("\n#ifndef ", guard, "\n#define ", guard, "\n")))
        << source.path << " lacks the guard " << guard;
  }
}

TEST(TidyTest, FilesAreShort) {
  for (const Source& source : Sources()) {
    EXPECT_LE(std::count(source.text.begin(), source.text.end(), '\n'), kMostLines) << source.path;
  }
}

TEST(TidyTest, SourcesAreFormatted) {
  if (system("clang-format --version >/dev/null 2>&1") != 0) {
    GTEST_SKIP() << "clang-format is not installed: formatting is NOT checked";
  }
  std::string command =
      absl::StrCat("cd '", HEARSAY_SOURCE_DIR, "' && clang-format --dry-run -Werror");
  for (const Source& source : Sources()) absl::StrAppend(&command, " ", source.path);
  EXPECT_EQ(system((command + " 2>&1").c_str()), 0)
      << "run clang-format -i on the files named above";
}

}  // namespace
}  // namespace hearsay
