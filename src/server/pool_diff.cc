#include "server/pool_diff.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace holdfast::server {
namespace {

// Ids have up to 1,024 bytes: so many fit into a message.
constexpr std::size_t kPieceDifferences = 500;

void PutDifference(const pool::Difference& difference, admin::v1::PoolDifference* out) {
  switch (difference.kind) {
    case pool::Difference::Kind::kAddress:
      out->set_address(difference.id);
      break;
    case pool::Difference::Kind::kProxy:
      out->set_proxy_id(difference.id);
      break;
    case pool::Difference::Kind::kSession:
      out->set_worker_id(difference.id);
      break;
  }
  out->set_field(difference.field);
  out->set_in_projection(difference.in_projection);
  out->set_in_store(difference.in_store);
}

}  // namespace

void DiffStream::Produce() {
  bool is_first = false;
  {
    const std::lock_guard<std::mutex> lock(news_mutex_);
    waiting_ = true;
    is_first = !std::exchange(begun_, true);
  }
  is_first ? Compare() : SendOrEnd();
}

void DiffStream::Compare() {
  const auto self = std::static_pointer_cast<DiffStream>(this->shared_from_this());
  driver_.Compare([self](PoolDriver::CompareNews news) { return self->Take(std::move(news)); });
}

bool DiffStream::Take(PoolDriver::CompareNews news) {
  if (over()) return false;
  {
    const std::lock_guard<std::mutex> lock(news_mutex_);
    std::vector<pool::Difference> differences = std::move(news_.differences);
    differences.insert(differences.end(), std::make_move_iterator(news.differences.begin()),
                       std::make_move_iterator(news.differences.end()));
    news_ = std::move(news);
    news_.differences = std::move(differences);
    is_new_ = true;
  }
  SendOrEnd();
  return true;
}

bool DiffStream::TakePiece(admin::v1::DiffPoolResponse& piece) {
  if (!waiting_ || !std::exchange(is_new_, false)) return false;
  const std::size_t count = std::min(news_.differences.size(), kPieceDifferences);
  for (std::size_t i = 0; i < count; ++i) PutDifference(news_.differences[i], piece.add_differences());
  news_.differences.erase(news_.differences.begin(), news_.differences.begin() + static_cast<std::ptrdiff_t>(count));
  is_new_ = !news_.differences.empty();
  piece.set_compared(news_.compared);
  piece.set_total(news_.total);
  piece.set_applied_sequence(news_.applied.value());
  piece.set_truncated(news_.truncated);
  waiting_ = false;
  return true;
}

void DiffStream::SendOrEnd() {
  admin::v1::DiffPoolResponse piece;
  std::optional<grpc::Status> end;
  {
    const std::lock_guard<std::mutex> lock(news_mutex_);
    if (waiting_ && news_.finished && !news_.failed.empty()) {
      end = StatusOf(Rejection{RejectReason::kPoolUnavailable, news_.failed, "", {}, std::chrono::seconds(1)});
    } else if (!TakePiece(piece)) {
      if (!waiting_ || !news_.finished) return;
      end = grpc::Status::OK;
    }
  }
  end ? End(*end) : Send(std::move(piece));
}

Rejection DiffStream::SlowReader() const {
  return {RejectReason::kSlowReader, "the comparison is not read fast enough; ask for another"};
}

}  // namespace holdfast::server
