#include "controller/effect.h"

#include "controller/check_times.h"
#include "controller/extraction_rules.h"
#include "controller/proto_time.h"

namespace holdfast {
namespace {

Rejection StreamRejection(RejectReason reason, const std::string& member) {
  switch (reason) {
    case RejectReason::kStreamReplaced:
      return {reason, "a newer Watch of this session has replaced this stream"};
    case RejectReason::kAckTimeout:
      return {reason, "an update was not answered within ack_timeout; watch again"};
    case RejectReason::kSessionSuperseded:
      return {reason, "another session of this " + member + " has replaced this one; register anew"};
    case RejectReason::kSessionExpired:
      return {reason, "nothing was heard of this session for session_ttl; register anew"};
    default:
      return {reason, "this session is over; register anew"};
  }
}

// The task as its checker is told it. Requires: it is outstanding.
void PutTask(const ControllerState& state, TaskId task, controlplane::v1::CheckTask* out) {
  const CheckTaskRow& row = *state.checks().FindTask(task);
  const ProxySpec& spec = *state.pool().proxy(row.key.proxy).spec;
  out->set_task_id(std::to_string(task.value()));
  out->set_proxy_id(spec.proxy_id.value());
  out->mutable_endpoint()->set_scheme(static_cast<controlplane::v1::ProxyScheme>(spec.endpoint.scheme));
  out->mutable_endpoint()->set_host(spec.endpoint.host);
  out->mutable_endpoint()->set_port(spec.endpoint.port);
  out->set_secret_ref(spec.secret_ref);
  out->set_level(static_cast<controlplane::v1::CheckLevel>(row.key.level));
  PutTime(row.issued_at, out->mutable_issued_at());
  PutTime(row.deadline, out->mutable_deadline());
  PutDuration(row.deadline - row.issued_at - kCheckMargin, out->mutable_timeout());
  if (row.key.level == CheckLevel::kEgress) {
    out->set_min_anonymity(static_cast<controlplane::v1::Anonymity>(state.settings().egress_min_anonymity));
  }
  const RoutingSpec* routing = state.routings().Find(row.key.routing);
  if (row.key.level != CheckLevel::kTarget || routing == nullptr) return;
  out->set_routing_id(routing->routing_id);
  const RoutingTarget& target = routing->targets.at(row.target);
  out->mutable_target()->set_url(target.url);
  out->mutable_target()->set_method(target.method);
  for (const std::uint32_t status : target.expected_status) out->mutable_target()->add_expected_status(status);
  if (target.timeout > Duration(0)) PutDuration(target.timeout, out->mutable_target()->mutable_timeout());
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
      out.emplace_back(EndStream{event.stream, StreamRejection(event.reason, "worker")});
  }
  void operator()(const SessionDraining& event) {
    const StreamId stream = state.sessions().At(event.worker).stream;
    if (stream.value() != 0) out.emplace_back(PushDrain{stream, event.reason, event.deadline});
  }
  void operator()(const CheckerDetached& event) {
    if (event.reason != RejectReason::kUnspecified)
      out.emplace_back(EndStream{event.stream, StreamRejection(event.reason, "checker")});
  }
  void operator()(const CheckerDraining& event) {
    const StreamId stream = state.checkers().At(event.checker).stream;
    if (stream.value() == 0) return;
    PushTask push{stream, {}};
    controlplane::v1::DrainNotice* notice = push.update.mutable_drain();
    notice->set_reason(static_cast<controlplane::v1::DrainReason>(event.reason));
    if (!IsAbsent(event.deadline)) PutTime(event.deadline, notice->mutable_deadline());
    out.emplace_back(std::move(push));
  }
  void operator()(const CheckIssued& event) {
    PushTask push{state.checkers().At(event.checker).stream, {}};
    PutTask(state, event.task, push.update.mutable_task());
    out.emplace_back(std::move(push));
  }
  void operator()(const CheckCancelled& event) {
    const StreamId stream = state.checkers().At(event.checker).stream;
    if (!event.told || stream.value() == 0) return;
    PushTask push{stream, {}};
    push.update.mutable_cancel()->set_task_id(std::to_string(event.task.value()));
    out.emplace_back(std::move(push));
  }
  // Where an input said so its reply says the same: the call takes the first.
  void operator()(const ExtractionDoubted& event) {
    out.emplace_back(TellExtraction{event.extraction_id, PoolSilent()});
  }
  template <class E>
  void operator()(const E&) {}  // nothing outside follows from the others
};

}  // namespace

void AppendEffects(const ControllerState& state, const Event& event, std::vector<Effect>& effects) {
  std::visit(Effects{state, effects}, event);
}

}  // namespace holdfast
