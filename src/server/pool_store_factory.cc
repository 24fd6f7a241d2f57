#include "server/pool_store_factory.h"

#include <array>
#include <cstring>

#include "pool/embedded_store.h"
#include "pool/redis_store.h"
#include "server/redis_config.h"

namespace holdfast::server {
namespace {

std::uint64_t Draw(RandomSource& random) {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  random.Fill(bytes);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof(number));
  return number;
}

}  // namespace

absl::StatusOr<std::unique_ptr<pool::PoolStore>> MakePoolStore(const PoolConfig& config, const BootClock& clock,
                                                               RandomSource& random) {
  if (config.store == "embedded") return std::make_unique<pool::EmbeddedStore>(clock);
  absl::StatusOr<pool::RedisSettings> settings = ReadRedisSettings(config.redis, "pool.store");
  if (!settings.ok()) return settings.status();
  auto store = pool::RedisStore::Make(*std::move(settings), clock, [&random] { return Draw(random); });
  if (!store.ok()) return store.status();
  return *std::move(store);
}

}  // namespace holdfast::server
