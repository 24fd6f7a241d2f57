// One message of an import: proxies, and where each of them stands in the lists.
//
// Made by ImportBatcher, sent by ImportStream; a plain value. The place stays on this side: it turns what the daemon
// says about item 17 into a file and a line.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"

namespace holdfast::cli {

struct ImportOrigin {
  std::uint32_t file = 0;  // index into the files of the command line
  std::uint64_t line = 0;  // from 1
  // The line was already counted as rejected here. It goes along with its id alone, so that the daemon, which refuses
  // it too, counts the proxy as named when a source is replaced.
  bool only_named = false;
};

struct ImportBatch {
  admin::v1::ImportProxiesRequest request;
  std::vector<ImportOrigin> origins;  // as many as request.proxies
};

constexpr std::size_t kMaxBatchItems = 2'000;
constexpr std::size_t kMaxBatchBytes = 1024 * 1024;
// Batches that may be on their way without an answer: what is sent again after a broken stream, and no more.
constexpr std::size_t kMaxUnanswered = 4;

}  // namespace holdfast::cli
