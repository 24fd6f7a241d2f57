// How one worker presents itself and behaves. A plain value, constant after construction of the client.

#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "client/client_time.h"
#include "session/backoff.h"

namespace holdfast::client {

struct WorkerSettings {
  std::string worker_id;  // [A-Za-z0-9._-]{1,128}
  std::string zone;
  std::map<std::string, std::string> labels;
  std::optional<std::uint32_t> weight;       // share of the pool; absent: 1
  std::optional<std::uint32_t> max_proxies;  // absent: the controller's bound; 0: none
  bool takes_deltas = true;
  bool resolves_secret_refs = true;
  std::string software_version = "holdfast-client";
  std::uint32_t max_message_bytes = 0;  // what it can receive; 0: the controller's default

  // Instead of what the controller asks for; absent: as it asks.
  std::optional<Duration> report_interval = std::nullopt;

  Duration call_deadline = std::chrono::seconds(3);
  Duration register_deadline = std::chrono::seconds(10);
  session::BackoffSettings backoff;

  // What runs is cut this much before its window ends: clock_max covers the network and the clocks, this covers the
  // moment between the timer and the end of what runs. At most a quarter of lapse_grace is taken of it.
  Duration cut_margin = std::chrono::milliseconds(500);

  std::uint32_t outcome_batch = 1'000;  // a batch is sent when so many wait, or after outcome_interval
  Duration outcome_interval = std::chrono::seconds(1);
};

}  // namespace holdfast::client
