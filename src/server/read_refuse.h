// Calls that the contract has and this version does not: answered UNIMPLEMENTED, with what it does serve.
//
// Thread: gRPC's.

#pragma once

#include <grpcpp/support/server_callback.h>

#include <string>

namespace holdfast::server {

inline grpc::Status NotServed(const std::string& what) {
  return grpc::Status(
      grpc::StatusCode::UNIMPLEMENTED,
      what +
          " is not served by this version of holdfastd: it serves workers, checkers, import and removal of proxies, "
          "routings, checks, extraction, drains and the other care of sessions, alarms, lists, status, ownership "
          "history "
          "and the log");
}

// what: "FleetAdmin.Backup"
inline grpc::ServerUnaryReactor* RefuseUnary(grpc::CallbackServerContext* context, const std::string& what) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(NotServed(what));
  return reactor;
}

template <class Response>
grpc::ServerWriteReactor<Response>* RefuseStream(const std::string& what) {
  class Refusal final : public grpc::ServerWriteReactor<Response> {
   public:
    explicit Refusal(const grpc::Status& status) { this->Finish(status); }
    void OnDone() override { delete this; }
  };
  return new Refusal(NotServed(what));
}

}  // namespace holdfast::server
