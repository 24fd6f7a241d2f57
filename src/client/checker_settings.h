// How one checker presents itself and behaves. A plain value, constant after construction of the client.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/client_time.h"
#include "controlplane/v1/types.pb.h"
#include "session/backoff.h"

namespace holdfast::client {

struct CheckerSettings {
  std::string checker_id;  // [A-Za-z0-9._-]{1,128}
  std::string zone;
  std::map<std::string, std::string> labels;
  std::uint32_t max_concurrency = 100;  // checks that run at a time; what is sent above it waits here
  // What it can check; a task of any other level is answered INCONCLUSIVE at once.
  std::vector<controlplane::v1::CheckLevel> levels = {controlplane::v1::CHECK_LEVEL_BASIC};
  bool resolves_secret_refs = false;
  std::string software_version = "holdfast-client";

  // Instead of what the controller asks for; absent: as it asks.
  std::optional<Duration> report_interval = std::nullopt;

  Duration call_deadline = std::chrono::seconds(3);
  Duration register_deadline = std::chrono::seconds(10);
  session::BackoffSettings backoff;
};

}  // namespace holdfast::client
