// One file a worker: every acknowledged answer as one JSON line, synced before anything goes on.
//
// Used by the worker's processes on their loop's thread. What stands in it was certainly answered, so it must be in
// the controller's log, whatever happens to the controller. A failed write ends the program: a log with holes proves
// nothing.

#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/status/statusor.h"

namespace holdfast::fleet {

class AckLog {
 public:
  // Opens DIRECTORY/WORKER_ID.jsonl for appending; the directory is made if it is not there.
  static absl::StatusOr<std::unique_ptr<AckLog>> Open(const std::string& directory, const std::string& worker_id);
  ~AckLog();
  AckLog(const AckLog&) = delete;
  AckLog& operator=(const AckLog&) = delete;

  void Append(const nlohmann::json& line);

 private:
  AckLog(int file, std::string path) : file_(file), path_(std::move(path)) {}

  const int file_;
  const std::string path_;
};

}  // namespace holdfast::fleet
