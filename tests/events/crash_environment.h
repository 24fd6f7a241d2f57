// The environment of a test that fails the disk on purpose: RocksDB's threads over the given file system, which do not
// rest for a second after each failure.
//
// Thread: any, as RocksDB's.

#pragma once

#include <rocksdb/env.h>
#include <rocksdb/system_clock.h>

#include <memory>

namespace holdfast::testing {

class CrashEnvironment final : public rocksdb::EnvWrapper {
 public:
  explicit CrashEnvironment(const std::shared_ptr<rocksdb::FileSystem>& disk)
      : EnvWrapper(rocksdb::NewCompositeEnv(disk)) {
    system_clock_ = std::make_shared<RestlessClock>();
  }

  const char* Name() const override { return "CrashEnvironment"; }

 private:
  class RestlessClock final : public rocksdb::SystemClockWrapper {
   public:
    RestlessClock() : SystemClockWrapper(rocksdb::SystemClock::Default()) {}
    const char* Name() const override { return "RestlessClock"; }
    void SleepForMicroseconds(int) override {}
  };
};

}  // namespace holdfast::testing
