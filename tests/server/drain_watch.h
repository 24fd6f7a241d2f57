// A WatchDrain stream as a test reads it: message by message, or to its end, while the clocks of the daemon move.
//
// Thread: the test's; the reading itself has one of its own.

#pragma once

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <optional>
#include <string>

#include "tests/server/operator_fixture.h"

namespace holdfast::server {

class DrainWatch {
 public:
  DrainWatch(OperatorDaemon& daemon, const std::string& member_id, const std::string& session_id = "",
             controlplane::v1::SessionKind kind = controlplane::v1::SESSION_KIND_WORKER)
      : daemon_(daemon) {
    admin::v1::WatchDrainRequest request;
    request.set_kind(kind);
    request.set_member_id(member_id);
    request.set_session_id(session_id);
    reader_ = daemon.fleet().WatchDrain(&context_, request);
  }
  ~DrainWatch() { context_.TryCancel(); }

  // The next message, while the clocks move a tick at a time; nullopt: the stream is over.
  std::optional<admin::v1::DrainProgress> Read() {
    return Await<std::optional<admin::v1::DrainProgress>>([this] {
      admin::v1::DrainProgress progress;
      return reader_->Read(&progress) ? std::optional(progress) : std::nullopt;
    });
  }

  // What is left of it, in the same way.
  Streamed<admin::v1::DrainProgress> ReadToEnd() {
    return Await<Streamed<admin::v1::DrainProgress>>([this] { return ReadAll(*reader_); });
  }

 private:
  template <class Result, class Body>
  Result Await(Body body) {
    std::future<Result> result = std::async(std::launch::async, body);
    const auto there = [&] { return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
    for (int i = 0; i < 1'000 && !there(); ++i) daemon_.Advance(std::chrono::milliseconds(100));
    if (!there()) {
      ADD_FAILURE() << "the stream says nothing, and does not end";
      context_.TryCancel();
    }
    return result.get();
  }

  OperatorDaemon& daemon_;
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<admin::v1::DrainProgress>> reader_;
};

}  // namespace holdfast::server
