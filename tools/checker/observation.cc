#include "tools/checker/observation.h"

namespace holdfast::checker {
namespace {

constexpr std::int64_t kMicrosASecond = 1'000'000;
constexpr std::int32_t kNanosAMicro = 1'000;

// A proxy may answer CONNECT with any number, and the controller takes no report that holds one that is no status.
std::uint32_t StatusOrNone(std::uint32_t number) { return number >= 100 && number <= 999 ? number : 0; }

}  // namespace

controlplane::v1::HealthObservation ObservationOf(const controlplane::v1::CheckTask& task,
                                                  controlplane::v1::Verdict verdict, std::int64_t wall_micros) {
  controlplane::v1::HealthObservation observation;
  observation.set_task_id(task.task_id());
  observation.set_proxy_id(task.proxy_id());
  observation.set_level(task.level());
  observation.set_routing_id(task.routing_id());
  observation.set_verdict(verdict);
  observation.mutable_observed_at()->set_seconds(wall_micros / kMicrosASecond);
  observation.mutable_observed_at()->set_nanos(static_cast<std::int32_t>(wall_micros % kMicrosASecond) * kNanosAMicro);
  return observation;
}

void AddSeen(const Finding& finding, const TransferEnd& end, controlplane::v1::HealthObservation* observation) {
  observation->set_phase(finding.phase);
  observation->set_error(finding.error);
  const std::int64_t micros = end.latency.count();
  observation->mutable_latency()->set_seconds(micros / kMicrosASecond);
  observation->mutable_latency()->set_nanos(static_cast<std::int32_t>(micros % kMicrosASecond) * kNanosAMicro);
  // A proxy that refuses a tunnel says so with a status of its own.
  const bool refused_tunnel = end.status == 0 && !end.tunnel_stood;
  observation->set_http_status(StatusOrNone(refused_tunnel ? end.connect_status : end.status));
  if (finding.report) observation->set_egress_ip(finding.report->address.ToString());
}

}  // namespace holdfast::checker
