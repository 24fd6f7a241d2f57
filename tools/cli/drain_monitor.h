// Looks on while a session drains, until it is closed: WatchDrain, opened again with growing waits as often as it
// breaks.
//
//   open ─► progress … ─► done           (broken, the daemon restarts ─► wait ─► open)        (Ctrl-C ─► left)
//
// Made by command_drain once the drain stands. Thread: the command's. The drain goes on whether or not anybody looks:
// nothing that happens here changes it.

#pragma once

#include <string>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/call.h"
#include "tools/cli/member_option.h"
#include "tools/cli/retry_wait.h"
#include "tools/cli/status_line.h"

namespace holdfast::cli {

class DrainMonitor {
 public:
  // `begin`: what is known when it begins. `session_id` empty: the member's latest.
  DrainMonitor(Invocation& invocation, MemberOption member, std::string session_id,
               const admin::v1::DrainProgress& begin);

  // Done once progress() says that the drain is done; else why nobody looks any more.
  Result Watch();

  const admin::v1::DrainProgress& progress() const { return progress_; }

 private:
  StreamEnd WatchOnce();
  bool Take(const admin::v1::DrainProgress& progress);
  void TellBreak();
  Result Left();

  Invocation& invocation_;
  const MemberOption member_;
  std::string session_id_;
  admin::v1::DrainProgress progress_;
  StatusLine line_;
  RetryWait retry_;
  bool told_ = false;  // that the stream broke; until it is there again
};

}  // namespace holdfast::cli
