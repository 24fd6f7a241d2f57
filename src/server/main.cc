#include "server/daemon_flags.h"
#include "server/daemon_run.h"

int main(int argc, char** argv) {
  const auto flags = holdfast::server::ParseDaemonFlags(argc, argv);
  if (const int* code = std::get_if<int>(&flags)) return *code;
  return holdfast::server::RunDaemon(std::get<holdfast::server::DaemonFlags>(flags));
}
