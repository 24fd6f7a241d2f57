// Makes the pool store that the configuration names.
//
// Called at the start, before anything is served. Thread: any. Promises: a store that is made has settings that fit; it
// has not been asked for anything yet, so a Redis that is away is told later, by its first call.

#pragma once

#include <absl/status/statusor.h>

#include <memory>

#include "base/boot_clock.h"
#include "base/random.h"
#include "pool/pool_store.h"
#include "server/config_pool.h"

namespace holdfast::server {

// The clock and the source outlive the store. Errors name the setting and what to do.
absl::StatusOr<std::unique_ptr<pool::PoolStore>> MakePoolStore(const PoolConfig& config, const BootClock& clock,
                                                               RandomSource& random);

}  // namespace holdfast::server
