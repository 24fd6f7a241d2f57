#include "tools/cli/drain_monitor.h"

#include <ostream>
#include <utility>

#include "tools/cli/drain_text.h"

namespace holdfast::cli {

using admin::v1::DrainProgress;

DrainMonitor::DrainMonitor(Invocation& invocation, MemberOption member, std::string session_id,
                           const DrainProgress& begin)
    : invocation_(invocation),
      member_(std::move(member)),
      session_id_(std::move(session_id)),
      progress_(begin),
      line_(invocation.environment),
      retry_(invocation.environment, std::nullopt) {}

Result DrainMonitor::Watch() {
  while (!progress_.done()) {
    const StreamEnd ended = WatchOnce();
    if (progress_.done()) break;
    if (ended.end == CallEnd::kInterrupted) return Left();
    if (!ended.status.ok() && !MayHelpToRetry(ended.status)) {
      line_.End();
      return CallFailure(invocation_, "WatchDrain", ended.status, ended.end);
    }
    TellBreak();
    if (!retry_.Wait()) return Left();
    invocation_.server.Reconnect();
  }
  line_.End();
  return Result::Done();
}

// It may be silent for as long as nothing changes.
StreamEnd DrainMonitor::WatchOnce() {
  admin::v1::WatchDrainRequest request;
  request.set_kind(member_.session_kind());
  request.set_member_id(member_.id);
  request.set_session_id(session_id_);
  return ReadStream<DrainProgress>(
      invocation_, std::nullopt,
      [&](grpc::ClientContext* context) { return invocation_.server.fleet().WatchDrain(context, request); },
      [this](const DrainProgress& progress) { return Take(progress); });
}

// Whether more is to come.
bool DrainMonitor::Take(const DrainProgress& progress) {
  progress_ = progress;
  session_id_ = progress.session().session_id();
  retry_.Progress();
  told_ = false;
  if (!invocation_.json && !progress.done()) line_.Show(DrainProgressText(progress));
  return !progress.done();
}

void DrainMonitor::TellBreak() {
  line_.End();
  if (!std::exchange(told_, true)) {
    invocation_.environment.error << "holdfast: the stream of WatchDrain broke; the drain goes on, and is looked at "
                                     "again as soon as the daemon answers\n";
  }
}

Result DrainMonitor::Left() {
  line_.End();
  return Result::CouldNotRun("interrupted: nobody looks any more, and the drain of " + member_.id +
                             " goes on. `holdfast drain " + MemberWords(member_.session_kind(), member_.id) +
                             " --watch` looks again, `holdfast sessions --member " +
                             MemberWords(member_.session_kind(), member_.id) + "` shows where it stands.");
}

}  // namespace holdfast::cli
