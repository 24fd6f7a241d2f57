#include "server/pool_service.h"

#include <memory>

#include "base/endpoint.h"
#include "controller/validate.h"
#include "controller/validate_field.h"
#include "server/import_call.h"
#include "server/list_proxies_stream.h"
#include "server/list_routings.h"
#include "server/pool_service_sink.h"
#include "server/read_refuse.h"

namespace holdfast::server {
namespace {

using namespace admin::v1;

// An input and its answer on their way.
template <class Response>
grpc::ServerUnaryReactor* Submit(const ReadContext& reads, grpc::CallbackServerContext* context,
                                 const log::v1::Input& input, const std::optional<Rejection>& rejection,
                                 Response* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto sink = std::make_unique<OperatorSink<Response>>(reactor, response);
  if (rejection) {
    sink->Deliver(*rejection);
    return reactor;
  }
  Command command = MakeCommand(input, kLoopbackPrincipal, context->peer(), std::move(sink));
  if (!reads.loop.Submit(command, CallClass::kOperator)) {
    command.sink->Deliver(Admission::Overloaded(CallClass::kOperator, command.peer));
  }
  return reactor;
}

// A password typed by mistake must not reach the log: no proxy has an id with one.
std::optional<Rejection> FindPassword(const RemoveProxiesRequest& request) {
  if (LooksLikeUrlWithUserInfo(request.reason())) {
    return validation::Malformed("reason", "holds a URL with user information; no secret belongs there");
  }
  for (int i = 0; i < request.proxy_ids_size(); ++i) {
    const std::string& id = request.proxy_ids(i);
    if (!LooksLikeUrlWithUserInfo(id)) continue;
    const std::size_t begin = id.find("://") + 3;
    if (IsMemberId(id.substr(begin, id.find('@', begin) - begin))) continue;  // a secret_ref
    return validation::Malformed(
        validation::Place("proxy_ids", static_cast<std::size_t>(i)),
        "holds a URL with a password; name the proxy by its id, with the secret_ref before '@'");
  }
  return std::nullopt;
}

}  // namespace

grpc::ServerBidiReactor<ImportProxiesRequest, ImportProxiesResponse>* PoolService::ImportProxies(
    grpc::CallbackServerContext* context) {
  return ImportCall::Begin(reads_, context);
}

grpc::ServerUnaryReactor* PoolService::RemoveProxies(grpc::CallbackServerContext* context,
                                                     const RemoveProxiesRequest* request,
                                                     RemoveProxiesResponse* response) {
  std::optional<Rejection> rejection = Validate(*request, reads_.settings);
  if (!rejection) rejection = FindPassword(*request);
  log::v1::Input input;
  *input.mutable_remove_proxies() = *request;
  return Submit(reads_, context, input, rejection, response);
}

grpc::ServerUnaryReactor* PoolService::ApplyRoutings(grpc::CallbackServerContext* context,
                                                     const ApplyRoutingsRequest* request,
                                                     ApplyRoutingsResponse* response) {
  log::v1::Input input;
  *input.mutable_apply_routings() = *request;
  return Submit(reads_, context, input, Validate(*request, reads_.settings), response);
}

grpc::ServerWriteReactor<ListProxiesResponse>* PoolService::ListProxies(grpc::CallbackServerContext* context,
                                                                        const ListProxiesRequest* request) {
  return ListProxiesStream::Begin(std::make_shared<ListProxiesStream>(reads_, context, *request),
                                  Validate(*request, reads_.settings));
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

grpc::ServerWriteReactor<ListChecksResponse>* PoolService::ListChecks(grpc::CallbackServerContext*,
                                                                      const ListChecksRequest*) {
  return RefuseStream<ListChecksResponse>("PoolAdmin.ListChecks");
}

grpc::ServerUnaryReactor* PoolService::CheckProxy(grpc::CallbackServerContext* context, const CheckProxyRequest*,
                                                  CheckProxyResponse*) {
  return RefuseUnary(context, "PoolAdmin.CheckProxy");
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
