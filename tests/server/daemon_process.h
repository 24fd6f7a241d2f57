// The real holdfastd as a child process, its stderr and stdout in files.
//
// Thread: the test's. Killed when destroyed, by its own number.

#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace holdfast::server {

class DaemonProcess {
 public:
  // directory: for what it says. open_files: as `ulimit -n` gives them; 0: as the test has them.
  DaemonProcess(const std::string& directory, const std::vector<std::string>& arguments, int open_files = 0);
  ~DaemonProcess();

  // Waits until the file is there and gives its first line; empty: the process has ended before.
  std::string WaitForLine(const std::string& file);
  // Waits until its stderr holds the text; false: the process has ended before.
  bool WaitForWords(const std::string& text);
  void Signal(int signal);
  // Its exit code, or minus the signal that ended it.
  int Wait();

  std::string Errors() const;
  std::string Output() const;

 private:
  bool HasEnded();

  const std::string directory_;
  pid_t process_ = -1;
  bool ended_ = false;
  int result_ = 0;
};

}  // namespace holdfast::server
