#include "server/pool_service.h"

#include <memory>

#include "controller/validate.h"
#include "server/check_call.h"
#include "server/import_call.h"
#include "server/list_checks.h"
#include "server/list_proxies.h"
#include "server/list_routings.h"
#include "server/list_stream.h"
#include "server/operator_call.h"
#include "server/read_refuse.h"

namespace holdfast::server {

using namespace admin::v1;

grpc::ServerBidiReactor<ImportProxiesRequest, ImportProxiesResponse>* PoolService::ImportProxies(
    grpc::CallbackServerContext* context) {
  return ImportCall::Begin(reads_, context);
}

grpc::ServerUnaryReactor* PoolService::RemoveProxies(grpc::CallbackServerContext* context,
                                                     const RemoveProxiesRequest* request,
                                                     RemoveProxiesResponse* response) {
  log::v1::Input input;
  *input.mutable_remove_proxies() = *request;
  return SubmitOperatorCall(reads_, context, input, Validate(*request, reads_.settings), response);
}

grpc::ServerUnaryReactor* PoolService::ApplyRoutings(grpc::CallbackServerContext* context,
                                                     const ApplyRoutingsRequest* request,
                                                     ApplyRoutingsResponse* response) {
  log::v1::Input input;
  *input.mutable_apply_routings() = *request;
  return SubmitOperatorCall(reads_, context, input, Validate(*request, reads_.settings), response);
}

grpc::ServerWriteReactor<ListProxiesResponse>* PoolService::ListProxies(grpc::CallbackServerContext* context,
                                                                        const ListProxiesRequest* request) {
  using Stream = ListStream<ProxyWalk>;
  return Stream::Begin(std::make_shared<Stream>(reads_, context, *request), Validate(*request, reads_.settings));
}

grpc::ServerUnaryReactor* PoolService::ListRoutings(grpc::CallbackServerContext* context, const ListRoutingsRequest*,
                                                    ListRoutingsResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = std::make_shared<ReadAnswer>(reactor);
  reads_.loop.follower().Read([answer, response](const ControllerState& state) {
    PutRoutings(state.routings(), response);
    answer->Finish(grpc::Status::OK);
  });
  return reactor;
}

grpc::ServerWriteReactor<ListChecksResponse>* PoolService::ListChecks(grpc::CallbackServerContext* context,
                                                                      const ListChecksRequest* request) {
  using Stream = ListStream<CheckWalk>;
  return Stream::Begin(std::make_shared<Stream>(reads_, context, *request), Validate(*request, reads_.settings));
}

grpc::ServerUnaryReactor* PoolService::CheckProxy(grpc::CallbackServerContext* context,
                                                  const CheckProxyRequest* request, CheckProxyResponse* response) {
  return CheckCall::Begin(std::make_shared<CheckCall>(reads_, *request, response), context,
                          Validate(*request, reads_.settings));
}

grpc::ServerWriteReactor<DiffPoolResponse>* PoolService::DiffPool(grpc::CallbackServerContext*,
                                                                  const DiffPoolRequest*) {
  return RefuseStream<DiffPoolResponse>("PoolAdmin.DiffPool");
}

grpc::ServerUnaryReactor* PoolService::RebuildPool(grpc::CallbackServerContext* context, const RebuildPoolRequest*,
                                                   RebuildPoolResponse*) {
  return RefuseUnary(context, "PoolAdmin.RebuildPool");
}

grpc::ServerUnaryReactor* PoolService::AdoptPool(grpc::CallbackServerContext* context, const AdoptPoolRequest*,
                                                 AdoptPoolResponse*) {
  return RefuseUnary(context, "PoolAdmin.AdoptPool");
}

}  // namespace holdfast::server
