// A Watch stream as a test plays its client: of snapshots or of tasks.
//
// Thread: the test's.

#pragma once

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include <memory>
#include <optional>

namespace holdfast::server {

template <class Update>
class TestStream {
 public:
  // open: std::unique_ptr<grpc::ClientReader<Update>>(grpc::ClientContext*)
  template <class Open>
  explicit TestStream(const Open& open) : reader_(open(&context_)) {}
  ~TestStream() { Cancel(); }

  // Returns when the stream was accepted or is over.
  void WaitForInitialMetadata() { reader_->WaitForInitialMetadata(); }
  // nullopt: the stream is over.
  std::optional<Update> Read() {
    Update update;
    if (!reader_->Read(&update)) return std::nullopt;
    return update;
  }
  // Reads what is left, and gives the status.
  grpc::Status End() {
    while (Read()) {
    }
    return reader_->Finish();
  }
  void Cancel() { context_.TryCancel(); }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReader<Update>> reader_;
};

}  // namespace holdfast::server
