// A pool store in the process with accidents: calls that fail before or after they were done, lost writes, lost data.
//
// Thread: any. The accident is what the next calls meet; the store under it is the real one.

#pragma once

#include <absl/status/status.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "pool/embedded_store.h"
#include "pool/trouble.h"

namespace holdfast::testing {

class StillClock final : public BootClock {
 public:
  std::int64_t Micros() const override { return 1'000'000; }
  const std::string& BootId() const override { return boot_id_; }

 private:
  const std::string boot_id_ = "boot";
};

class TroubledStore final : public pool::PoolStore {
 public:
  enum class Accident { kNone, kUnreachable, kTimesOutUndone, kTimesOutDone };

  // Of all calls, until it is changed.
  void SetAway(bool away) {
    const std::lock_guard<std::mutex> lock(mutex_);
    away_ = away;
  }
  // Of the next call of this name ("Extract", "Apply", ...), once.
  void Plan(const std::string& call, Accident accident) {
    const std::lock_guard<std::mutex> lock(mutex_);
    planned_[call] = accident;
  }

  // A copy of all that it holds, and back to it: a fail-over to a replica that lags.
  void Keep() {
    const std::lock_guard<std::mutex> lock(mutex_);
    kept_ = std::make_unique<pool::EmbeddedStore>(*inner_);
  }
  void FallBack() {
    const std::lock_guard<std::mutex> lock(mutex_);
    inner_ = std::make_unique<pool::EmbeddedStore>(*kept_);
  }
  // It restarts without data.
  void Empty() {
    const std::lock_guard<std::mutex> lock(mutex_);
    inner_ = std::make_unique<pool::EmbeddedStore>(clock_);
  }

  // While nobody else calls.
  pool::EmbeddedStore& inner() { return *inner_; }

  absl::StatusOr<pool::Position> ReadPosition(Duration patience) override {
    return Call<pool::Position>("ReadPosition", [&] { return inner_->ReadPosition(patience); });
  }
  absl::StatusOr<pool::ApplyResult> Apply(std::span<const pool::Batch> batches, Duration patience) override {
    return Call<pool::ApplyResult>("Apply", [&] { return inner_->Apply(batches, patience); });
  }
  absl::StatusOr<pool::ExtractResult> Extract(const pool::ExtractRequest& request, Duration patience) override {
    return Call<pool::ExtractResult>("Extract", [&] { return inner_->Extract(request, patience); });
  }
  absl::StatusOr<pool::ExtractResult> Cancel(const pool::CancelRequest& request, Duration patience) override {
    return Call<pool::ExtractResult>("Cancel", [&] { return inner_->Cancel(request, patience); });
  }
  absl::StatusOr<pool::ResyncResult> BeginResync(const pool::ResyncStart& start, Duration patience) override {
    return Call<pool::ResyncResult>("BeginResync", [&] { return inner_->BeginResync(start, patience); });
  }
  absl::StatusOr<pool::ClearProgress> ClearSome(Duration patience) override {
    return Call<pool::ClearProgress>("ClearSome", [&] { return inner_->ClearSome(patience); });
  }
  absl::StatusOr<pool::ResyncResult> WriteResync(std::span<const pool::Write> rows, Duration patience) override {
    return Call<pool::ResyncResult>("WriteResync", [&] { return inner_->WriteResync(rows, patience); });
  }
  absl::StatusOr<pool::ResyncResult> FinishResync(Sequence applied, Duration patience) override {
    return Call<pool::ResyncResult>("FinishResync", [&] { return inner_->FinishResync(applied, patience); });
  }
  absl::StatusOr<pool::ScanSlice> Scan(const pool::ScanRequest& request, Duration patience) override {
    return Call<pool::ScanSlice>("Scan", [&] { return inner_->Scan(request, patience); });
  }

 private:
  template <class Result, class F>
  absl::StatusOr<Result> Call(const std::string& name, F&& call) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (away_) return pool::Unreachable("nobody is there");
    const auto planned = planned_.find(name);
    const Accident accident = planned == planned_.end() ? Accident::kNone : planned->second;
    if (planned != planned_.end()) planned_.erase(planned);
    if (accident == Accident::kUnreachable) return pool::Unreachable("nobody is there");
    if (accident == Accident::kTimesOutUndone) return pool::TimedOut("no answer in time");
    absl::StatusOr<Result> result = call();
    if (accident == Accident::kTimesOutDone) return pool::TimedOut("no answer in time");
    return result;
  }

  std::mutex mutex_;
  const StillClock clock_;
  std::unique_ptr<pool::EmbeddedStore> inner_ = std::make_unique<pool::EmbeddedStore>(clock_);
  std::unique_ptr<pool::EmbeddedStore> kept_;
  std::map<std::string, Accident> planned_;
  bool away_ = false;
};

// A store that somebody else keeps.
class LentStore final : public pool::PoolStore {
 public:
  explicit LentStore(pool::PoolStore& store) : store_(store) {}

  absl::StatusOr<pool::Position> ReadPosition(Duration patience) override { return store_.ReadPosition(patience); }
  absl::StatusOr<pool::ApplyResult> Apply(std::span<const pool::Batch> batches, Duration patience) override {
    return store_.Apply(batches, patience);
  }
  absl::StatusOr<pool::ExtractResult> Extract(const pool::ExtractRequest& request, Duration patience) override {
    return store_.Extract(request, patience);
  }
  absl::StatusOr<pool::ExtractResult> Cancel(const pool::CancelRequest& request, Duration patience) override {
    return store_.Cancel(request, patience);
  }
  absl::StatusOr<pool::ResyncResult> BeginResync(const pool::ResyncStart& start, Duration patience) override {
    return store_.BeginResync(start, patience);
  }
  absl::StatusOr<pool::ClearProgress> ClearSome(Duration patience) override { return store_.ClearSome(patience); }
  absl::StatusOr<pool::ResyncResult> WriteResync(std::span<const pool::Write> rows, Duration patience) override {
    return store_.WriteResync(rows, patience);
  }
  absl::StatusOr<pool::ResyncResult> FinishResync(Sequence applied, Duration patience) override {
    return store_.FinishResync(applied, patience);
  }
  absl::StatusOr<pool::ScanSlice> Scan(const pool::ScanRequest& request, Duration patience) override {
    return store_.Scan(request, patience);
  }

 private:
  pool::PoolStore& store_;
};

}  // namespace holdfast::testing
