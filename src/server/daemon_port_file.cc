#include "server/daemon_port_file.h"

#include <absl/strings/str_cat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace holdfast::server {

absl::Status WritePortFile(const std::string& path, const std::string& address) {
  const std::string aside = path + ".new";
  {
    std::ofstream file(aside, std::ios::trunc);
    file << address << '\n';
    file.flush();
    if (!file) {
      return absl::InternalError(absl::StrCat("the port file ", path, " cannot be written: ", std::strerror(errno),
                                              ". Name a file in a directory that is there and may be written."));
    }
  }
  if (std::rename(aside.c_str(), path.c_str()) != 0) {
    return absl::InternalError(absl::StrCat("the port file ", path, " cannot be put in place: ", std::strerror(errno)));
  }
  return absl::OkStatus();
}

void RemovePortFile(const std::string& path) { std::remove(path.c_str()); }

}  // namespace holdfast::server
