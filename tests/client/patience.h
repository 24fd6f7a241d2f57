// What the fakes and the tests of real transports agree on.

#pragma once

#include <chrono>
#include <cstdint>

namespace holdfast::test {

// So long a test waits before it has waited in vain.
inline constexpr auto kPatience = std::chrono::seconds(30);
// What a fake says the time is: any does.
inline constexpr std::int64_t kServerTimeSeconds = 1'000'000;

}  // namespace holdfast::test
