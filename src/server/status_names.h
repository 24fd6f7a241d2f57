// The words of GetStatus for states, in the order of their enums; the first of each is not said.
//
// Thread: none.

#pragma once

#include <array>
#include <string>
#include <string_view>

namespace holdfast::server {

inline constexpr std::array<std::string_view, 7> kPoolNames = {"unspecified", "pending",   "available", "suspect",
                                                               "unhealthy",   "extracted", "expired"};
inline constexpr std::array<std::string_view, 7> kOwnershipNames = {"unspecified", "unowned",    "granted",  "revoking",
                                                                    "lapsing",     "extracting", "extracted"};
inline constexpr std::array<std::string_view, 7> kSessionNames = {"unspecified", "connecting", "handshaking", "active",
                                                                  "draining",    "closed",     "reconnecting"};
inline constexpr std::string_view kWorkerName = "worker", kCheckerName = "checker";
inline constexpr std::array<std::string_view, 4> kLevelNames = {"unspecified", "basic", "egress", "target"};
// Of ExtractionPhase, which has no such first one; what is over is not counted.
inline constexpr std::array<std::string_view, 3> kExtractionNames = {"asked", "doubted", "standing"};

// The key of a count by two of them: "worker/active", "available/granted".
inline std::string StatusKey(std::string_view first, std::string_view second) {
  std::string key(first);
  key += '/';
  key += second;
  return key;
}

}  // namespace holdfast::server
