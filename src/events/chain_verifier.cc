#include "events/chain_verifier.h"

#include <absl/strings/str_cat.h>

#include "events/block_codec.h"
#include "events/log_error.h"

namespace holdfast {

absl::Status ChainVerifier::Check(const BlockView& block) {
  absl::Status status = CheckPlace(block);
  if (status.ok()) status = VerifyChain(block, point_.has_value() ? point_->hash : Hash256{});
  if (!status.ok()) return WithDamageAdvice(status);
  point_ = ChainPoint{.log_id = block.header().log_id, .last = block.last(), .hash = block.hash()};
  return absl::OkStatus();
}

absl::Status ChainVerifier::CheckPlace(const BlockView& block) const {
  const std::uint64_t expected = point_.has_value() ? point_->last.value() + 1 : 1;
  const std::uint64_t found = block.header().first.value();
  if (found > expected) {
    return absl::DataLossError(
        absl::StrCat("block at sequence ", expected, " is missing: the next one begins at ", found));
  }
  if (found < expected) {
    return absl::DataLossError(
        absl::StrCat("block at sequence ", found, " comes again: ", expected, " was to come next"));
  }
  if (point_.has_value() && block.header().log_id != point_->log_id) {
    return absl::DataLossError(absl::StrCat("block at sequence ", found, " belongs to another log"));
  }
  return absl::OkStatus();
}

}  // namespace holdfast
