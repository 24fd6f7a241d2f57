// What operators ask of the pool store, done on the projector's thread: comparisons, rebuilds, and what it shows before
// it is adopted.

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "server/pool_driver.h"

namespace holdfast::server {
namespace {

constexpr Duration kComparePatience = std::chrono::seconds(5);
constexpr std::size_t kScanRows = 2'000;

}  // namespace

void PoolDriver::Compare(std::function<bool(CompareNews)> news) {
  Post([this, news = std::move(news)]() mutable {
    if (projector_.ready() && !stopped_.load()) {
      jobs_.push_back({std::move(news), {}});
      return;
    }
    CompareNews none;
    none.failed = absl::StrCat("the pool store is not ready (", std::string(pool::PhaseName(projector_.status().phase)),
                               "): ", projector_.status().trouble);
    none.finished = true;
    news(std::move(none));
  });
}

// Whether there is more to compare. Only between two turns: then the store is where status says.
bool PoolDriver::CompareSome() {
  if (jobs_.empty()) return false;
  if (!projector_.ready()) {
    EndJobs("the pool store could not be reached any more, or is written anew");
    return false;
  }
  if (!projector_.between_turns()) return true;
  Job& job = jobs_.front();
  const absl::StatusOr<bool> more = job.comparison.Step(*store_, *this, kComparePatience);
  CompareNews news;
  news.differences = job.comparison.Take();
  news.compared = job.comparison.compared();
  news.total = job.comparison.total();
  news.applied = projector_.status().applied;
  news.truncated = job.comparison.truncated();
  news.finished = !more.ok() || !*more;
  if (!more.ok()) news.failed = std::string(more.status().message());
  const bool is_over = news.finished;
  if (!job.news(std::move(news)) || is_over) jobs_.pop_front();
  return !jobs_.empty();
}

void PoolDriver::EndJobs(const std::string& why) {
  for (const Job& job : std::exchange(jobs_, {})) {
    CompareNews news;
    news.failed = why;
    news.finished = true;
    job.news(std::move(news));
  }
  if (!stopped_.load()) return;
  for (const Rebuilding& rebuild : std::exchange(rebuilds_, {})) rebuild.done(absl::CancelledError(why));
}

absl::StatusOr<PoolDriver::Rebuilt> PoolDriver::CountRows() {
  Rebuilt rows;
  rows.applied = projector_.status().applied;
  const bool looked = Read([&](const ControllerState& state, pool::Feed&) {
    rows.proxies = state.pool().proxies().size();
    rows.addresses = state.pool().addresses().size();
  });
  if (!looked) return absl::CancelledError("the daemon is being stopped");
  return rows;
}

void PoolDriver::Rebuild(bool dry_run, std::function<void(absl::StatusOr<Rebuilt>)> done) {
  Post([this, dry_run, done = std::move(done)] {
    using Phase = pool::ProjectorPhase;
    const pool::ProjectorStatus& status = projector_.status();
    if (stopped_.load()) return done(absl::CancelledError("the daemon is being stopped"));
    if (status.phase == Phase::kForeign || status.phase == Phase::kSuperseded) {
      return done(absl::FailedPreconditionError("the pool store is not this controller's: see `holdfast status`"));
    }
    if (status.phase == Phase::kMeeting && !status.trouble.empty()) {
      return done(absl::UnavailableError("the pool store cannot be reached: " + status.trouble));
    }
    if (dry_run) return done(CountRows());
    if (status.phase != Phase::kWriting) projector_.Rebuild();
    rebuilds_.push_back({status.resyncs, done});
  });
}

void PoolDriver::LookAtRebuilds() {
  if (rebuilds_.empty()) return;
  const pool::ProjectorStatus& status = projector_.status();
  using Phase = pool::ProjectorPhase;
  if (status.resyncs > rebuilds_.front().resyncs) {
    const absl::StatusOr<Rebuilt> rows = CountRows();
    for (const Rebuilding& rebuild : std::exchange(rebuilds_, {})) rebuild.done(rows);
  } else if (status.phase == Phase::kMeeting && !status.trouble.empty()) {
    const absl::Status away = absl::UnavailableError("the pool store was lost while it was written: " + status.trouble +
                                                     "; it is begun again when it is back");
    for (const Rebuilding& rebuild : std::exchange(rebuilds_, {})) rebuild.done(away);
  }
}

void PoolDriver::ReadExtracted(std::function<void(absl::StatusOr<Shown>)> done) {
  Post([this, done = std::move(done)] {
    if (stopped_.load()) return done(absl::CancelledError("the daemon is being stopped"));
    if (projector_.status().phase != pool::ProjectorPhase::kForeign) {
      return done(absl::FailedPreconditionError(
          "the pool store is neither of another log nor ahead of this one: there is nothing to adopt"));
    }
    done(ScanExtracted());
  });
}

absl::StatusOr<PoolDriver::Shown> PoolDriver::ScanExtracted() {
  Duration grace{};
  Read([&](const ControllerState& state, pool::Feed&) { grace = state.settings().lapse_grace; });
  std::map<std::string, log::v1::AdoptPool::Extraction> by_id;
  pool::ScanRequest request{.kind = pool::ScanKind::kAddresses, .limit = kScanRows};
  do {
    if (stopped_.load()) return absl::CancelledError("the daemon is being stopped");
    absl::StatusOr<pool::ScanSlice> slice = store_->Scan(request, kComparePatience);
    if (!slice.ok()) return absl::UnavailableError(slice.status().message());
    for (const pool::AddressRow& row : slice->addresses) {
      if (row.state != pool::AddressState::kExtracted) continue;
      log::v1::AdoptPool::Extraction& extraction = by_id[row.extraction_id];
      const std::int64_t until = std::max(extraction.extracted_until(), ToMicros(row.extracted_until));
      extraction.set_extraction_id(row.extraction_id);
      extraction.add_addresses(row.id);
      extraction.set_extracted_until(until);
      extraction.set_ends_at(until + grace.count());
    }
    request.cursor = std::move(slice->cursor);
  } while (!request.cursor.empty());
  Shown shown;
  for (auto& [id, extraction] : by_id) shown.push_back(std::move(extraction));
  return shown;
}

}  // namespace holdfast::server
