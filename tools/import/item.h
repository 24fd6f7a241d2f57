// What an import hands out: proxies taken, and the lines that were not.
//
// Made by Importer, read by the command line; any thread, plain values. Promises: nothing in here holds a user name or
// a password: an Item names its credential by secret_ref alone, a Rejection carries a fixed sentence. The credentials
// are in SecretStore. Does not hold the text of the line.

#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/endpoint.h"
#include "base/log_time.h"
#include "tools/import/rejection_reason.h"

namespace holdfast::importer {

// Where something stands. Both count from 1; in text and NDJSON a record is a line.
struct Position {
  std::uint64_t line = 0;    // where it begins
  std::uint64_t record = 0;  // the header of a CSV file is none

  friend bool operator==(const Position&, const Position&) = default;
};

struct Item {
  Endpoint endpoint;
  std::string secret_ref;                     // empty: no credential
  std::map<std::string, std::string> labels;  // "country", "city", "exit_address", where the list has them
  std::string zone;
  std::string source;
  std::uint32_t capacity = 0;  // 0: not given, the daemon's default
  LogTime expires_at{};        // 0: not given, the daemon's default
  Position position;
};

struct Duplicate {
  std::string file;
  Position position;
  std::string first_file;
  std::uint64_t first_line = 0;
  bool password_differs = false;  // the first one stands
};

struct Rejection {
  std::string file;
  Position position;
  RejectionReason reason = RejectionReason::kMalformedLine;
  // The canonical URL, where the line named a proxy that is refused for another reason (it has expired, say): such a
  // line counts as named when a source is replaced.
  std::string proxy_id;
};

// Each line or record adds to exactly one of them; a record with several protocols adds once for each.
struct ImportCounts {
  std::uint64_t accepted = 0;
  std::uint64_t duplicates = 0;
  std::uint64_t rejected = 0;
  std::uint64_t skipped = 0;  // blank lines, comments, pages without a record

  std::uint64_t Sum() const { return accepted + duplicates + rejected + skipped; }
  friend bool operator==(const ImportCounts&, const ImportCounts&) = default;
};

}  // namespace holdfast::importer
