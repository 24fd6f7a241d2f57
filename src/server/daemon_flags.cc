#include "server/daemon_flags.h"

#include <CLI/CLI.hpp>
#include <iostream>

#include "server/daemon_run.h"

namespace holdfast::server {
namespace {

void Describe(CLI::App& app, DaemonFlags& flags) {
  app.add_option("--config", flags.config_file, "JSON file with the configuration; without it the defaults hold")
      ->type_name("FILE");
  app.add_option("--data-dir", flags.data_dir, "where the log stands; made when it is not there")->type_name("DIR");
  app.add_option("--listen", flags.listen,
                 "127.0.0.1:7443, [::1]:7443 or unix:PATH; port 0: any free one. Plaintext: loopback only")
      ->type_name("HOST:PORT");
  app.add_option("--port-file", flags.port_file, "written with HOST:PORT when it serves, removed at a clean end")
      ->type_name("FILE");
  app.add_flag("--bootstrap", flags.bootstrap, "a new log owes nobody anything: begin without the wait of a new log");
  app.add_option("--set", flags.assignments, "a setting, as in --set control_plane.session_ttl=20s; as often as needed")
      ->type_name("KEY=VALUE")
      ->expected(1)
      ->take_all();
  app.add_flag("--check-config", flags.check_config, "print the effective configuration as JSON and end");
  app.set_version_flag("--version", std::string("holdfastd ") + std::string(kSoftwareVersion));
  app.footer("Exit codes: 0 done, 2 usage or could not run.");
}

}  // namespace

std::variant<DaemonFlags, int> ParseDaemonFlags(int argc, const char* const* argv) {
  DaemonFlags flags;
  CLI::App app("The controller of a pool of proxies.", "holdfastd");
  Describe(app, flags);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& end) {
    return app.exit(end, std::cout, std::cerr);
  } catch (const CLI::ParseError& error) {
    app.exit(error, std::cout, std::cerr);
    return kExitCouldNotRun;
  }
  return flags;
}

}  // namespace holdfast::server
