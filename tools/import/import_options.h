// What an import may assume about its lists, and its limits.
//
// Set once by the command line before the first file.

#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "base/endpoint.h"
#include "base/log_time.h"
#include "tools/import/list_format.h"

namespace holdfast::importer {

struct ImportOptions {
  LogTime now{};                                           // what expiry is measured against
  Scheme default_scheme = Scheme::kHttp;                   // of lines and records that name none
  bool allow_special = false;                              // also take addresses that are not public
  std::string source;                                      // empty: what the record says
  std::string zone;                                        // empty: what the record says
  std::optional<ListFormat> format;                        // absent: detected
  std::optional<std::chrono::minutes> times_without_zone;  // their offset from UTC; absent: they are refused

  std::size_t max_line_bytes = 8192;              // of text, and of a CSV record
  std::size_t max_record_bytes = 1u << 20;        // of an NDJSON line
  std::uint64_t max_file_bytes = 16ull << 30;     // after decompression
  std::uint64_t max_document_bytes = 1ull << 30;  // of a JSON file, which is taken whole or not at all
};

}  // namespace holdfast::importer
