#include "server/fleet_service.h"

#include <memory>

#include "controller/validate.h"
#include "server/list_alarms.h"
#include "server/list_sessions.h"
#include "server/operator_call.h"
#include "server/read_refuse.h"
#include "server/watch_drain_stream.h"

namespace holdfast::server {

using namespace admin::v1;

FleetService::FleetService(const ReadContext& reads) : reads_(reads) {}

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

grpc::ServerUnaryReactor* FleetService::DrainSession(grpc::CallbackServerContext* context,
                                                     const DrainSessionRequest* request,
                                                     DrainSessionResponse* response) {
  log::v1::Input input;
  *input.mutable_drain_session() = *request;
  return SubmitSessionCall(reads_, context, input, Validate(*request, reads_.settings), *request, response);
}

grpc::ServerWriteReactor<DrainProgress>* FleetService::WatchDrain(grpc::CallbackServerContext* context,
                                                                  const WatchDrainRequest* request) {
  return WatchDrainStream::Begin(std::make_shared<WatchDrainStream>(reads_, context, *request),
                                 Validate(*request, reads_.settings));
}

grpc::ServerUnaryReactor* FleetService::FenceSession(grpc::CallbackServerContext* context,
                                                     const FenceSessionRequest* request,
                                                     FenceSessionResponse* response) {
  log::v1::Input input;
  *input.mutable_fence_session() = *request;
  return SubmitSessionCall(reads_, context, input, Validate(*request, reads_.settings), *request, response);
}

grpc::ServerUnaryReactor* FleetService::ReclaimProxies(grpc::CallbackServerContext* context,
                                                       const ReclaimProxiesRequest* request,
                                                       ReclaimProxiesResponse* response) {
  log::v1::Input input;
  *input.mutable_reclaim_proxies() = *request;
  return SubmitOperatorCall(reads_, context, input, Validate(*request, reads_.settings), response);
}

grpc::ServerUnaryReactor* FleetService::SetEligibility(grpc::CallbackServerContext* context,
                                                       const SetEligibilityRequest* request,
                                                       SetEligibilityResponse* response) {
  log::v1::Input input;
  *input.mutable_set_eligibility() = *request;
  return SubmitOperatorCall(reads_, context, input, Validate(*request, reads_.settings), response);
}

grpc::ServerUnaryReactor* FleetService::ClearAlarm(grpc::CallbackServerContext* context,
                                                   const ClearAlarmRequest* request, ClearAlarmResponse* response) {
  log::v1::Input input;
  *input.mutable_clear_alarm() = *request;
  return SubmitOperatorCall(reads_, context, input, Validate(*request, reads_.settings), response);
}

// How far it is to move the loop knows when it comes to decide it.
grpc::ServerUnaryReactor* FleetService::AcceptClock(grpc::CallbackServerContext* context,
                                                    const AcceptClockRequest* request, AcceptClockResponse* response) {
  log::v1::Input input;
  *input.mutable_accept_clock()->mutable_request() = *request;
  return SubmitOperatorCall(reads_, context, input, Validate(*request, reads_.settings), response);
}

grpc::ServerUnaryReactor* FleetService::SendOps(grpc::CallbackServerContext* context, const SendOpsRequest*,
                                                SendOpsResponse*) {
  return RefuseUnary(context, "FleetAdmin.SendOps");
}

grpc::ServerWriteReactor<BackupProgress>* FleetService::Backup(grpc::CallbackServerContext*, const BackupRequest*) {
  return RefuseStream<BackupProgress>("FleetAdmin.Backup");
}

}  // namespace holdfast::server
