// The scripts that every write to Redis is one call of. Their texts are scripts/*.lua, put in when the library is built
// (embed_scripts.cmake); docs/pool_store.md says what each does.
//
// Thread: constants.

#pragma once

#include <string_view>

namespace holdfast::pool {

struct RedisScript {
  std::string_view sha1;  // of the text, as EVALSHA names it
  std::string_view text;
};

extern const RedisScript kApplyScript;
extern const RedisScript kExtractScript;
extern const RedisScript kCancelScript;
extern const RedisScript kResyncBeginScript;
extern const RedisScript kResyncClearScript;
extern const RedisScript kResyncRowsScript;
extern const RedisScript kResyncFinishScript;

}  // namespace holdfast::pool
