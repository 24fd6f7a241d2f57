// What a check engine is set up with. A plain value, constant once the engine runs.

#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/log_time.h"
#include "tools/common/host_and_port.h"

namespace holdfast::checker {

struct CheckSettings {
  std::optional<HostAndPort> echo;  // what BASIC has a proxy connect to
  std::string judge_url;            // what EGRESS asks; http or https, without a fragment; empty: none
  bool allow_private = false;       // also loopback, private and shared addresses
  bool loopback_only = false;       // nothing but loopback
  std::string ca_file;  // PEM: who may have signed the certificates of HTTPS proxies, judge and targets; empty: the
                        // system's own

  // Of one endpoint, from one beginning to the next: however many checks fail, its direct path is asked no faster.
  Duration direct_interval = std::chrono::milliseconds(250);
  // How long what the judge saw on the direct path is taken for this checker's own address and headers.
  Duration own_traces_age = std::chrono::seconds(60);
};

}  // namespace holdfast::checker
