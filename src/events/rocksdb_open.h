// Opens the database under a log, for writing or beside a writer, with every refusal that must come before it is
// touched.
//
// Called by rocksdb_log.cc alone. Thread: any. Promises: what is refused is as it was before.

#pragma once

#include <absl/status/statusor.h>

#include <memory>
#include <optional>
#include <string>

#include "events/rocksdb_log.h"
#include "events/rocksdb_store.h"

namespace holdfast {

struct OpenedStore {
  std::shared_ptr<RocksDbStore> store;
  std::optional<std::string> torn_end;  // for people
};

absl::StatusOr<OpenedStore> OpenForWriting(const std::string& path, const RocksDbLogOptions& options);
absl::StatusOr<OpenedStore> OpenBesideWriter(const std::string& path);

}  // namespace holdfast
