// What the person asked of an import.
//
// Filled in by command_import, read by ImportRun; constant from then on.

#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/endpoint.h"
#include "tools/import/list_format.h"

namespace holdfast::cli {

struct ImportSettings {
  std::vector<std::string> files;  // "-": standard input
  std::optional<importer::ListFormat> format;
  Scheme default_scheme = Scheme::kHttp;
  bool times_are_utc = false;  // those without a zone; else they are refused
  bool allow_special = false;

  bool dry_run = false;
  std::string secrets_out;  // empty: credentials are not kept
  std::string source;
  bool replace = false;
  bool allow_empty = false;
  std::string zone;
  std::map<std::string, std::string> labels;  // of every item; they win over the list's

  // How many rejections are listed; the count is always whole. Absent: 100 for people, 10,000 for programs.
  std::optional<std::size_t> most_rejections;
};

}  // namespace holdfast::cli
