// The FleetAdmin service: who is there, and what operators do about members, alarms and the clock.
//
// Life cycle: made after the loop, destroyed after the gRPC server. Thread: gRPC's; changes go through the sequencer
// and are answered when durable, what is read is read on the follower's thread. Does not: SendOps (this version has no
// agents) and Backup, which are answered UNIMPLEMENTED.

#pragma once

#include "holdfast/admin/v1/admin.grpc.pb.h"
#include "server/read_context.h"

namespace holdfast::server {

class FleetService final : public admin::v1::FleetAdmin::CallbackService {
 public:
  explicit FleetService(const ReadContext& reads);

  grpc::ServerUnaryReactor* ListSessions(grpc::CallbackServerContext* context,
                                         const admin::v1::ListSessionsRequest* request,
                                         admin::v1::ListSessionsResponse* response) override;
  grpc::ServerUnaryReactor* ListAlarms(grpc::CallbackServerContext* context,
                                       const admin::v1::ListAlarmsRequest* request,
                                       admin::v1::ListAlarmsResponse* response) override;

  grpc::ServerUnaryReactor* DrainSession(grpc::CallbackServerContext* context,
                                         const admin::v1::DrainSessionRequest* request,
                                         admin::v1::DrainSessionResponse* response) override;
  grpc::ServerWriteReactor<admin::v1::DrainProgress>* WatchDrain(grpc::CallbackServerContext* context,
                                                                 const admin::v1::WatchDrainRequest* request) override;
  grpc::ServerUnaryReactor* FenceSession(grpc::CallbackServerContext* context,
                                         const admin::v1::FenceSessionRequest* request,
                                         admin::v1::FenceSessionResponse* response) override;
  grpc::ServerUnaryReactor* ReclaimProxies(grpc::CallbackServerContext* context,
                                           const admin::v1::ReclaimProxiesRequest* request,
                                           admin::v1::ReclaimProxiesResponse* response) override;
  grpc::ServerUnaryReactor* SetEligibility(grpc::CallbackServerContext* context,
                                           const admin::v1::SetEligibilityRequest* request,
                                           admin::v1::SetEligibilityResponse* response) override;
  grpc::ServerUnaryReactor* SendOps(grpc::CallbackServerContext* context, const admin::v1::SendOpsRequest* request,
                                    admin::v1::SendOpsResponse* response) override;
  grpc::ServerUnaryReactor* ClearAlarm(grpc::CallbackServerContext* context,
                                       const admin::v1::ClearAlarmRequest* request,
                                       admin::v1::ClearAlarmResponse* response) override;
  grpc::ServerUnaryReactor* AcceptClock(grpc::CallbackServerContext* context,
                                        const admin::v1::AcceptClockRequest* request,
                                        admin::v1::AcceptClockResponse* response) override;
  grpc::ServerWriteReactor<admin::v1::BackupProgress>* Backup(grpc::CallbackServerContext* context,
                                                              const admin::v1::BackupRequest* request) override;

 private:
  const ReadContext reads_;
};

}  // namespace holdfast::server
