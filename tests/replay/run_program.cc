#include "tests/replay/run_program.h"

#include <sys/wait.h>

#include <array>
#include <cstdio>

namespace holdfast::testing {

Ended RunProgram(const std::string& command_line) {
  Ended ended;
  std::FILE* pipe = popen((command_line + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return ended;
  std::array<char, 4096> buffer;
  while (const std::size_t size = std::fread(buffer.data(), 1, buffer.size(), pipe))
    ended.output.append(buffer.data(), size);
  const int status = pclose(pipe);
  if (WIFEXITED(status)) ended.exit = WEXITSTATUS(status);
  return ended;
}

}  // namespace holdfast::testing
