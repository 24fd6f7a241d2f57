// Whose call, stream or session something is: the two kinds of members that call this server.
//
// Thread: a plain value.

#pragma once

#include <cstdint>

namespace holdfast::server {

enum class MemberKind : std::uint8_t { kWorker, kChecker };

}  // namespace holdfast::server
