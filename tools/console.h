// Where the command writes: data to standard output, all else to standard error.
//
// One thread at a time. A reader that goes away (`hearsay claims | head`) is no error: what is
// written after that is dropped in silence.
#ifndef HEARSAY_TOOLS_CONSOLE_H_
#define HEARSAY_TOOLS_CONSOLE_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hearsay {

class Console {
 public:
  // Ignores SIGPIPE for the process, so that a closed pipe shows as an error of write().
  Console();
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  // Data. Errors are kept for Finish().
  void Out(absl::string_view text);
  // A message: "hearsay: <sentence>" on a line of its own, line breaks in it made spaces.
  void Say(absl::string_view sentence);
  // Text for standard error as it is.
  void Err(absl::string_view text);

  // Errors: kUnavailable if data could not be written, as on a full disk.
  absl::Status Finish() const;

  // Nothing that is still to be written would be read: the reader has gone, or writing has failed.
  bool out_is_closed() const { return out_errno_ != 0; }
  // Escape sequences are welcome: a terminal, and NO_COLOR is unset or empty.
  bool out_takes_colour() const { return out_takes_colour_; }
  bool err_is_terminal() const { return err_is_terminal_; }

 private:
  const bool out_takes_colour_;
  const bool err_is_terminal_;
  int out_errno_ = 0;
};

}  // namespace hearsay

#endif  // HEARSAY_TOOLS_CONSOLE_H_
