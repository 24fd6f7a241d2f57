// What a proxy gives away of who asks through it, from what a judge saw.
//
// Pure, any thread.
//   TRANSPARENT  an address of the checker's own is the peer that the judge saw, or stands in a header
//   ANONYMOUS    it does not; but a header came that the checker does not send on the direct path (Via, Forwarded,
//                X-Forwarded-For, Proxy-Connection, …; by being new and not by its name, so that none is overlooked)
//   ELITE        neither
// What stands in a header word for word as on the direct path (Host, where the judge runs beside the checker) and
// headers that only manage a connection or a body's length are no sign. An address that a proxy encodes is not found.

#pragma once

#include <string_view>
#include <vector>

#include "controlplane/v1/types.pb.h"
#include "tools/checker/judge_report.h"

namespace holdfast::checker {

// How the checker itself looks to a judge without a proxy.
struct OwnTraces {
  std::vector<IpAddress> addresses;
  std::vector<SeenHeader> headers;
};

OwnTraces TracesOf(const JudgeReport& direct);

controlplane::v1::Anonymity DeriveAnonymity(const JudgeReport& through_proxy, const OwnTraces& own);

// Whether one of the addresses stands anywhere in the text, in whatever spelling of an IP address.
bool NamesAnyAddress(std::string_view text, const std::vector<IpAddress>& addresses);

}  // namespace holdfast::checker
