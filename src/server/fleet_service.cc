#include "server/fleet_service.h"

#include <memory>

#include "controller/validate.h"
#include "server/list_alarms.h"
#include "server/list_sessions.h"
#include "server/read_answer.h"
#include "server/read_refuse.h"

namespace holdfast::server {

using namespace admin::v1;

grpc::ServerUnaryReactor* FleetService::ListSessions(grpc::CallbackServerContext* context,
                                                     const ListSessionsRequest* request,
                                                     ListSessionsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = std::make_shared<ReadAnswer>(reactor);
  if (const auto rejection = Validate(*request, reads_.settings)) {
    answer->Finish(StatusOf(*rejection));
    return reactor;
  }
  // The request is gRPC's until the answer.
  reads_.loop.follower().Read([answer, request, response](const ControllerState& state) {
    const std::optional<Rejection> rejection = ListSessionsPage(state, *request, response);
    answer->Finish(rejection ? StatusOf(*rejection) : grpc::Status::OK);
  });
  return reactor;
}

grpc::ServerUnaryReactor* FleetService::ListAlarms(grpc::CallbackServerContext* context, const ListAlarmsRequest*,
                                                   ListAlarmsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = std::make_shared<ReadAnswer>(reactor);
  reads_.loop.follower().Read([answer, response](const ControllerState& state) {
    PutAlarms(state, response);
    answer->Finish(grpc::Status::OK);
  });
  return reactor;
}

grpc::ServerUnaryReactor* FleetService::DrainSession(grpc::CallbackServerContext* context, const DrainSessionRequest*,
                                                     DrainSessionResponse*) {
  return RefuseUnary(context, "FleetAdmin.DrainSession");
}

grpc::ServerWriteReactor<DrainProgress>* FleetService::WatchDrain(grpc::CallbackServerContext*,
                                                                  const WatchDrainRequest*) {
  return RefuseStream<DrainProgress>("FleetAdmin.WatchDrain");
}

grpc::ServerUnaryReactor* FleetService::FenceSession(grpc::CallbackServerContext* context, const FenceSessionRequest*,
                                                     FenceSessionResponse*) {
  return RefuseUnary(context, "FleetAdmin.FenceSession");
}

grpc::ServerUnaryReactor* FleetService::ReclaimProxies(grpc::CallbackServerContext* context,
                                                       const ReclaimProxiesRequest*, ReclaimProxiesResponse*) {
  return RefuseUnary(context, "FleetAdmin.ReclaimProxies");
}

grpc::ServerUnaryReactor* FleetService::SetEligibility(grpc::CallbackServerContext* context,
                                                       const SetEligibilityRequest*, SetEligibilityResponse*) {
  return RefuseUnary(context, "FleetAdmin.SetEligibility");
}

grpc::ServerUnaryReactor* FleetService::SendOps(grpc::CallbackServerContext* context, const SendOpsRequest*,
                                                SendOpsResponse*) {
  return RefuseUnary(context, "FleetAdmin.SendOps");
}

grpc::ServerUnaryReactor* FleetService::ClearAlarm(grpc::CallbackServerContext* context, const ClearAlarmRequest*,
                                                   ClearAlarmResponse*) {
  return RefuseUnary(context, "FleetAdmin.ClearAlarm");
}

grpc::ServerUnaryReactor* FleetService::AcceptClock(grpc::CallbackServerContext* context, const AcceptClockRequest*,
                                                    AcceptClockResponse*) {
  return RefuseUnary(context, "FleetAdmin.AcceptClock");
}

grpc::ServerWriteReactor<BackupProgress>* FleetService::Backup(grpc::CallbackServerContext*, const BackupRequest*) {
  return RefuseStream<BackupProgress>("FleetAdmin.Backup");
}

}  // namespace holdfast::server
