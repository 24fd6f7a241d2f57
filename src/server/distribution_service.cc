#include "server/distribution_service.h"

#include <utility>

#include "controller/validate.h"
#include "server/operator_call.h"
#include "server/rejection_status.h"

namespace holdfast::server {
namespace {

using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;
using distribution::v1::ReleaseRequest;
using distribution::v1::ReleaseResponse;

// The decision on a call that was entered. Where the store is asked the call goes on waiting, otherwise it is answered
// here.
class ExtractSink final : public ReplySink {
 public:
  ExtractSink(ExtractionWaits& waits, ExtractionId id) : waits_(waits), id_(std::move(id)) {}
  ~ExtractSink() override {
    if (!delivered_) waits_.Settle({id_, ShuttingDownRejection()});
  }

  void Deliver(Reply reply) override {
    delivered_ = true;
    if (auto* rejection = std::get_if<Rejection>(&reply)) return waits_.Settle({id_, std::move(*rejection)});
    if (auto* standing = std::get_if<ExtractResponse>(&reply)) waits_.Settle({id_, std::move(*standing)});
  }

 private:
  ExtractionWaits& waits_;
  const ExtractionId id_;
  bool delivered_ = false;
};

}  // namespace

DistributionService::DistributionService(const CallContext& context) : context_(context) {}

std::optional<Rejection> DistributionService::Refuse(const ExtractRequest& request) const {
  if (auto rejection = Validate(request, context_.settings)) return rejection;
  return context_.admission.Refuse(CallClass::kExtract, request.client_id());
}

grpc::ServerUnaryReactor* DistributionService::Extract(grpc::CallbackServerContext* call_context,
                                                       const ExtractRequest* request, ExtractResponse* response) {
  grpc::ServerUnaryReactor* reactor = call_context->DefaultReactor();
  const ExtractionId id(RandomId(context_.random));
  std::optional<Rejection> rejection = Refuse(*request);
  if (!rejection) rejection = context_.extractions.Enter(id, request->client_id(), reactor, response);
  if (rejection) {
    reactor->Finish(StatusOf(*rejection));
    return reactor;
  }
  log::v1::Input input;
  *input.mutable_extract()->mutable_request() = *request;
  input.mutable_extract()->set_extraction_id(id.value());
  Command command = MakeCommand(input, kLoopbackPrincipal, call_context->peer(),
                                std::make_unique<ExtractSink>(context_.extractions, id));
  if (!context_.loop.Submit(command, CallClass::kExtract)) {
    command.sink->Deliver(Admission::Overloaded(CallClass::kExtract, request->client_id()));
  }
  return reactor;
}

grpc::ServerUnaryReactor* DistributionService::Release(grpc::CallbackServerContext* call_context,
                                                       const ReleaseRequest* request, ReleaseResponse* response) {
  grpc::ServerUnaryReactor* reactor = call_context->DefaultReactor();
  auto sink = std::make_unique<OperatorSink<ReleaseResponse>>(reactor, response);
  if (const auto rejection = Validate(*request, context_.settings)) {
    sink->Deliver(*rejection);
    return reactor;
  }
  log::v1::Input input;
  *input.mutable_release() = *request;
  Command command = MakeCommand(input, kLoopbackPrincipal, call_context->peer(), std::move(sink));
  if (!context_.loop.Submit(command, CallClass::kRelease)) {
    command.sink->Deliver(Admission::Overloaded(CallClass::kRelease, request->client_id()));
  }
  return reactor;
}

}  // namespace holdfast::server
