// Gives the projector a thread, the follower's state and the sequencer's ear; and lets operators look into the store.
//
//   follower ─ events ─► feed ─► projector (its own thread) ─► store ─► answers ─► inputs ─► sequencer
//
// Life cycle: made after the loop, Start, Stop (or destruction) before the loop stops. Thread: any, unless said
// otherwise; callbacks come on the projector's thread, or on the caller's of Stop, and must not wait. Promises: nothing
// of the sequencer or the dispatcher ever waits for the store; every callback comes once. Does not: decide anything, or
// keep what clients wait for (extraction_waits.h).

#pragma once

#include <absl/status/statusor.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "pool/comparison.h"
#include "pool/projector.h"
#include "server/controller_loop.h"

namespace holdfast::server {

class PoolDriver final : private pool::StateSource, private pool::ProjectorReports, private FoldObserver {
 public:
  using SinkMaker = std::function<std::unique_ptr<ReplySink>()>;
  // Of the answer to an intent's input: tells the client that waits. May be null.
  PoolDriver(ControllerLoop& loop, std::unique_ptr<pool::PoolStore> store, SinkMaker settle_sink,
             const pool::Projector::Options& options = {});
  ~PoolDriver() override;  // stops

  void Start();
  void Stop();

  pool::ProjectorStatus status() const;

  // What a comparison tells, piece by piece, and how it ended. Returns false: it is not wanted any more.
  struct CompareNews {
    std::vector<pool::Difference> differences;
    std::uint64_t compared = 0, total = 0;
    Sequence applied;
    bool truncated = false;
    bool finished = false;
    std::string failed;  // why it ended before its end; empty: it did not
  };
  void Compare(std::function<bool(CompareNews)> news);

  struct Rebuilt {
    std::uint64_t proxies = 0, addresses = 0;
    Sequence applied;
  };
  // Unavailable: the store cannot be written now, and why.
  void Rebuild(bool dry_run, std::function<void(absl::StatusOr<Rebuilt>)> done);

  // What a store that waits for its adoption shows as extracted. FailedPrecondition: it does not.
  using Shown = std::vector<log::v1::AdoptPool::Extraction>;
  void ReadExtracted(std::function<void(absl::StatusOr<Shown>)> done);

 private:
  struct Job {
    std::function<bool(CompareNews)> news;
    pool::Comparison comparison;
  };
  struct Rebuilding {
    std::uint64_t resyncs = 0;  // finished when it was asked for
    std::function<void(absl::StatusOr<Rebuilt>)> done;
  };

  // pool::StateSource: waits for the follower.
  bool Read(const Look& look) override;
  // pool::ProjectorReports.
  void StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) override;
  void StoreWritten(Sequence applied, std::uint64_t proxies) override;
  void Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) override;
  void Unanswered(const std::string& extraction_id, const std::string& cause) override;
  // FoldObserver, on the follower's thread.
  void Before(const ControllerState& state, const Event& event, const EntryPoint& entry) override;

  void Attach();
  void Detach();
  void Unsendable(const std::string& extraction_id);
  void Run();
  Duration StepOnce();
  bool CompareSome();
  void EndJobs(const std::string& why);
  void LookAtRebuilds();
  absl::StatusOr<Rebuilt> CountRows();
  absl::StatusOr<Shown> ScanExtracted();
  void LogChange(const pool::ProjectorStatus& before);
  void Post(std::function<void()> work);
  void Wake();

  ControllerLoop& loop_;
  const std::unique_ptr<pool::PoolStore> store_;
  const SinkMaker settle_sink_;
  const pool::Projector::Options options_;
  std::unique_ptr<pool::Feed> feed_;  // the follower's thread
  pool::Projector projector_;         // the thread's, as all up to the mutex
  bool told_trouble_ = false;
  std::deque<Job> jobs_;
  std::deque<Rebuilding> rebuilds_;

  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool woken_ = false;  // guarded by mutex_, and all below
  std::deque<std::function<void()>> posted_;
  pool::ProjectorStatus status_;
  std::atomic<bool> stopped_{false};
  std::thread thread_;
};

}  // namespace holdfast::server
