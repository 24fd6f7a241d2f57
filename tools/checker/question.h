// What a check asks of the far end, whichever way it goes there: through a proxy, or directly.
//
// A plain value. The same question is asked on the direct path when a proxy has failed at it (direct_path.h).

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "controlplane/v1/types.pb.h"

namespace holdfast::checker {

struct Question {
  enum class Ask : std::uint8_t {
    kReach,     // BASIC: a connection to the echo, nothing more
    kIdentify,  // EGRESS: the judge's report with this question's nonce
    kFetch,     // TARGET: one of the expected statuses
  };

  Ask ask = Ask::kReach;
  std::string url;
  bool head = false;                                // kFetch: HEAD and not GET
  std::vector<std::uint32_t> expected_status = {};  // kFetch; empty: 200..399
  std::string nonce = {};                           // kIdentify

  // Questions with the same key are answered by the same direct path.
  std::string Key() const;
  // The echo and the judge are the operator's own: their addresses are not refused on the direct path.
  bool IsOurs() const { return ask != Ask::kFetch; }
  bool Expects(std::uint32_t status) const;
};

}  // namespace holdfast::checker
