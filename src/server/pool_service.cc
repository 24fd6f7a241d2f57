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
#include "server/pool_diff.h"

namespace holdfast::server {

using namespace admin::v1;

namespace {

// Why the store was not read or written.
Rejection RefusalOf(const absl::Status& status) {
  const std::string why(status.message());
  if (absl::IsCancelled(status)) return ShuttingDownRejection();
  if (absl::IsFailedPrecondition(status)) return {RejectReason::kFailedCondition, why};
  return {RejectReason::kPoolUnavailable, why, "", {}, std::chrono::seconds(1)};
}

// For a call whose sink is needed before it is queued, and by the command.
class SharedSink final : public ReplySink {
 public:
  explicit SharedSink(std::shared_ptr<ReplySink> sink) : sink_(std::move(sink)) {}
  void Deliver(Reply reply) override { sink_->Deliver(std::move(reply)); }

 private:
  const std::shared_ptr<ReplySink> sink_;
};

}  // namespace

PoolService::PoolService(const ReadContext& reads, PoolDriver& driver) : reads_(reads), driver_(driver) {}

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

grpc::ServerWriteReactor<DiffPoolResponse>* PoolService::DiffPool(grpc::CallbackServerContext* context,
                                                                  const DiffPoolRequest*) {
  return DiffStream::Begin(std::make_shared<DiffStream>(reads_, context, driver_), std::nullopt);
}

grpc::ServerUnaryReactor* PoolService::RebuildPool(grpc::CallbackServerContext* context,
                                                   const RebuildPoolRequest* request, RebuildPoolResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  const auto answer = std::make_shared<ReadAnswer>(reactor);
  driver_.Rebuild(request->dry_run(), [answer, response](const absl::StatusOr<PoolDriver::Rebuilt>& rebuilt) {
    if (!rebuilt.ok()) return answer->Finish(StatusOf(RefusalOf(rebuilt.status())));
    response->set_proxies_written(rebuilt->proxies);
    response->set_addresses_written(rebuilt->addresses);
    response->set_applied_sequence(rebuilt->applied.value());
    answer->Finish(grpc::Status::OK);
  });
  return reactor;
}

// What the store shows is read first: it is part of the input.
grpc::ServerUnaryReactor* PoolService::AdoptPool(grpc::CallbackServerContext* context, const AdoptPoolRequest* request,
                                                 AdoptPoolResponse* response) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  auto sink = std::make_shared<OperatorSink<AdoptPoolResponse>>(reactor, response);
  if (const std::optional<Rejection> rejection = Validate(*request, reads_.settings)) {
    sink->Deliver(*rejection);
    return reactor;
  }
  log::v1::Input input;
  *input.mutable_adopt_pool()->mutable_request() = *request;
  driver_.ReadExtracted([this, sink, input, peer = context->peer()](absl::StatusOr<PoolDriver::Shown> shown) mutable {
    if (!shown.ok()) return sink->Deliver(RefusalOf(shown.status()));
    for (auto& extraction : *shown) *input.mutable_adopt_pool()->add_extractions() = std::move(extraction);
    Command command = MakeCommand(input, kLoopbackPrincipal, peer, std::make_unique<SharedSink>(sink));
    if (!reads_.loop.Submit(command, CallClass::kOperator)) {
      sink->Deliver(Admission::Overloaded(CallClass::kOperator, peer));
    }
  });
  return reactor;
}

}  // namespace holdfast::server
