// OwnershipHistory: read_history.h, written slice by slice.
//
// Life cycle and threads: read_stream.h. Promises: bounded messages; what is under way is held meanwhile, at most what
// a worker may own, or one proxy's.

#pragma once

#include <optional>

#include "server/read_history.h"
#include "server/read_stream.h"

namespace holdfast::server {

class OwnershipHistoryStream final : public ReadStream<audit::v1::OwnershipHistoryResponse> {
 public:
  OwnershipHistoryStream(const ReadContext& reads, grpc::CallbackServerContext* context,
                         const audit::v1::OwnershipHistoryRequest& request)
      : ReadStream(reads, context), query_(QueryOf(request)), open_(query_) {}

 private:
  void Produce() override;
  Rejection SlowReader() const override;
  void Slice();

  const HistoryQuery query_;
  OpenPeriods open_;                   // the follower's thread
  std::optional<HistoryMerge> merge_;  // the reader pool's
};

}  // namespace holdfast::server
