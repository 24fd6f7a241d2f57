// The version that `holdfast --version` tells.
//
// The build's project version; a test compares the two.

#pragma once

namespace holdfast::cli {

inline constexpr const char* kVersion = "0.1.0";

}  // namespace holdfast::cli
