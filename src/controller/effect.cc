#include "controller/effect.h"

namespace holdfast {
namespace {

Rejection StreamRejection(RejectReason reason) {
  switch (reason) {
    case RejectReason::kStreamReplaced:
      return {reason, "a newer Watch of this session has replaced this stream"};
    case RejectReason::kAckTimeout:
      return {reason, "an update was not answered within ack_timeout; watch again"};
    case RejectReason::kSessionSuperseded:
      return {reason, "another session of this worker has replaced this one; register anew"};
    case RejectReason::kSessionExpired:
      return {reason, "nothing was heard of this session for session_ttl; register anew"};
    default:
      return {reason, "this session is over; register anew"};
  }
}

struct Effects {
  const ControllerState& state;
  std::vector<Effect>& out;

  void operator()(const SnapshotIssued& event) {
    const WorkerRow& worker = state.sessions().At(event.worker);
    out.emplace_back(PushUpdate{worker.stream, worker.opened.worker_id.value(), worker.opened.session_id.value(),
                                worker.opened.zone, state.snapshots().Build(event.worker),
                                state.routings().routings()});
  }
  void operator()(const SessionDetached& event) {
    if (event.reason != RejectReason::kUnspecified)
      out.emplace_back(EndStream{event.stream, StreamRejection(event.reason)});
  }
  void operator()(const SessionDraining& event) {
    const StreamId stream = state.sessions().At(event.worker).stream;
    if (stream.value() != 0) out.emplace_back(PushDrain{stream, event.reason, event.deadline});
  }
  template <class E>
  void operator()(const E&) {}  // nothing outside follows from the others
};

}  // namespace

void AppendEffects(const ControllerState& state, const Event& event, std::vector<Effect>& effects) {
  std::visit(Effects{state, effects}, event);
}

}  // namespace holdfast
