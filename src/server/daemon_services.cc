#include "server/daemon_services.h"

namespace holdfast::server {

std::vector<GrpcServer::NamedService> DaemonServices::all() {
  std::vector<GrpcServer::NamedService> services = {
      {controlplane::v1::WorkerControlPlane::service_full_name(), &worker_},
      {controlplane::v1::CheckerControlPlane::service_full_name(), &checker_},
      {distribution::v1::Distribution::service_full_name(), &distribution_}};
  for (const auto& [name, service] : reads_.services()) services.push_back({name, service});
  return services;
}

}  // namespace holdfast::server
