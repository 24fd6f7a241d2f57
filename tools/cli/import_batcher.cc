#include "tools/cli/import_batcher.h"

#include <utility>

namespace holdfast::cli {
namespace {

// Tag and length of one item in the message.
constexpr std::size_t kBytesAroundAnItem = 6;

}  // namespace

ImportBatcher::ImportBatcher(std::string replace_source, Give give)
    : replace_source_(std::move(replace_source)), give_(std::move(give)) {}

bool ImportBatcher::Add(admin::v1::ProxySpec spec, ImportOrigin origin) {
  const std::size_t size = spec.ByteSizeLong() + kBytesAroundAnItem;
  const bool full = batch_.origins.size() >= kMaxBatchItems || bytes_ + size > kMaxBatchBytes;
  if (full && !batch_.origins.empty() && !GiveOut()) return false;
  bytes_ += size;
  *batch_.request.add_proxies() = std::move(spec);
  batch_.origins.push_back(origin);
  return wanted_;
}

bool ImportBatcher::Finish() {
  batch_.request.set_replace_source(replace_source_);
  if (batch_.origins.empty() && replace_source_.empty()) return wanted_;
  return GiveOut();
}

bool ImportBatcher::GiveOut() {
  wanted_ = wanted_ && give_(std::exchange(batch_, ImportBatch()));
  bytes_ = 0;
  return wanted_;
}

}  // namespace holdfast::cli
