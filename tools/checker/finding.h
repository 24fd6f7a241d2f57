// What a transfer's end says: did the far end give what was asked, and if not, how far did it get and what broke?
//
// Pure, any thread. The phases are those of a request through a proxy:
//   DIAL              the proxy's name, and the connection to it
//   PROXY_HANDSHAKE   TLS with an HTTPS proxy, CONNECT, SOCKS, and a refused account in answer to whatever
//   TUNNEL            behind a tunnel that stood: TLS with the far end, and all of the request in it
//   RESPONSE_HEADERS  all of a plain request to an HTTP proxy, which relays it
// A finding is no verdict: whoever failed may have failed because of this machine (check_engine.h).

#pragma once

#include <optional>

#include "controlplane/v1/types.pb.h"
#include "tools/checker/judge_report.h"
#include "tools/checker/transfer.h"
#include "tools/checker/trouble.h"

namespace holdfast::checker {

struct Finding {
  Trouble trouble = Trouble::kNone;  // otherwise the rest tells nothing of the proxy
  bool good = false;
  controlplane::v1::OutcomePhase phase = controlplane::v1::OUTCOME_PHASE_UNSPECIFIED;
  controlplane::v1::OutcomeError error = controlplane::v1::OUTCOME_ERROR_UNSPECIFIED;
  std::optional<JudgeReport> report;  // of a good kIdentify
};

Finding Find(const TransferOrder& order, const TransferEnd& end);

}  // namespace holdfast::checker
