// A worker as the oracle remembers it: what contract.md says that answers depend on, and nothing else.
//
// Thread: a plain value.

#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "controlplane/v1/controlplane.pb.h"
#include "holdfast/admin/v1/admin.pb.h"

namespace holdfast::simulation {

struct IssuedVersion {
  std::string checksum;
  std::int64_t valid_until = 0;
};

struct Member {
  // The latest session, open or over.
  std::string session_id;
  std::string instance_id;
  std::string registration_id;
  std::uint64_t epoch = 0;
  bool open = false;
  bool handshaking = false;
  std::deque<std::pair<std::string, admin::v1::CloseReason>> closed;  // the last eight that are over

  // Of that session.
  std::map<std::uint64_t, IssuedVersion> issued;
  std::optional<std::uint64_t> accepted;
  std::uint64_t refused = 0;  // the highest
  bool fenced = false;
  std::uint64_t report_sequence = 0;
  std::string report_content;

  // Of the worker.
  std::uint64_t outcome_sequence = 0;
  std::uint64_t last_version = 0;
  bool conflict = false;  // two processes of it are alive: every registration counts as another one
};

// What counts as the content of a report: version, epoch, draining, queued count, and the counters as a set without
// those that say nothing.
std::string ReportContent(const controlplane::v1::ReportRuntimeRequest& request);

}  // namespace holdfast::simulation
