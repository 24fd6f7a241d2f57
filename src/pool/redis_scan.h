// Reads the rows in Redis by slices, to compare them with what they should be.
//
// Called by RedisStore. Thread: the store's. Promises: those of PoolStore::Scan; changes nothing. A slice costs a walk
// over as many keys of the whole database as it asks for, whoever wrote them.

#pragma once

#include <absl/status/statusor.h>

#include "pool/redis_codec.h"

namespace holdfast::pool {

absl::StatusOr<ScanSlice> ScanRedis(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                    const Deadline& deadline);

}  // namespace holdfast::pool
