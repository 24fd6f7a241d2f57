// One DiffPool stream: what a comparison finds, as it goes, and how far it is.
//
// Life cycle and threads: read_stream.h; the comparison under way holds it as well, on the projector's thread. What is
// found waits here until it is written, bounded by what a comparison reports. A reader that goes away ends it.

#pragma once

#include <memory>
#include <mutex>

#include "holdfast/admin/v1/admin.pb.h"
#include "server/pool_driver.h"
#include "server/read_stream.h"

namespace holdfast::server {

class DiffStream final : public ReadStream<admin::v1::DiffPoolResponse> {
 public:
  DiffStream(const ReadContext& reads, grpc::CallbackServerContext* context, PoolDriver& driver)
      : ReadStream(reads, context), driver_(driver) {}

 private:
  void Produce() override;
  Rejection SlowReader() const override;
  void Compare();
  // Whether more is wanted. Thread: the projector's.
  bool Take(PoolDriver::CompareNews news);
  // The next piece, if there is one to send.
  bool TakePiece(admin::v1::DiffPoolResponse& piece);
  void SendOrEnd();

  PoolDriver& driver_;
  std::mutex news_mutex_;
  bool begun_ = false;  // guarded by news_mutex_, and all below
  bool waiting_ = false;
  bool is_new_ = false;  // there is something that was not sent
  PoolDriver::CompareNews news_;
};

}  // namespace holdfast::server
