// RocksDB's errors as ours, and the boundary that none of its exceptions crosses.
//
// Called by the rocksdb_* files alone. Thread: pure functions.

#pragma once

#include <absl/status/status.h>
#include <rocksdb/status.h>

#include <exception>
#include <string>
#include <string_view>

namespace holdfast {

// `what` was tried, with the path in it. Corruption → DataLoss, no space → ResourceExhausted, else Internal.
absl::Status FromRocksDb(std::string_view what, const rocksdb::Status& status);

// Runs `call` and turns an exception of the library into its status.
template <class Call>
rocksdb::Status Guarded(Call call) {
  try {
    return call();
  } catch (const std::exception& exception) {
    return rocksdb::Status::Aborted("exception", exception.what());
  } catch (...) {
    return rocksdb::Status::Aborted("exception of an unknown kind");
  }
}

}  // namespace holdfast
