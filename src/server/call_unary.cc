#include "server/call_unary.h"

#include <type_traits>
#include <utility>

#include "server/call_bytes.h"
#include "server/rejection_status.h"

namespace holdfast::server {

void UnaryCall::Answer(const Reply& reply) const {
  const grpc::Status status = std::visit(
      [this]<class R>(const R& value) {
        if constexpr (std::is_same_v<R, Rejection>) return StatusOf(value);
        if constexpr (std::is_base_of_v<google::protobuf::MessageLite, R>) {
          *response_ = SerialiseToBuffer(value);
          return grpc::Status::OK;
        }
        return grpc::Status(grpc::StatusCode::INTERNAL, "this call was decided without an answer; tell its makers");
      },
      reply);
  reactor_->Finish(status);
}

UnarySink::~UnarySink() {
  if (!answered_) call_.Answer(ShuttingDownRejection());
}

void UnarySink::Deliver(Reply reply) {
  if (!std::exchange(answered_, true)) call_.Answer(reply);
}

}  // namespace holdfast::server
