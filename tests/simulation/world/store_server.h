// The pool store of a simulated world, at its end of the wire: what it holds, and what befalls it. The real rules of
// the embedded store, with what Redis has beside them: attempts and numbered steps of a resync, so that a step that
// arrives late does nothing.
//
//   calls (store_connection.h) ─► Do… ─► rows        loses its last writes, loses all, becomes another log's, is ahead
//
// In some worlds it is embedded: it is gone with its controller, and its calls take no time. Thread: one. Outlives the
// controllers. Does not: know who calls.

#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/boot_clock.h"
#include "pool/embedded_store.h"
#include "tests/simulation/world/world.h"

namespace holdfast::simulation {

// What is in memory answers at once.
inline constexpr Duration kNoWait{0};

// The store's own clock.
class StoreClock final : public BootClock {
 public:
  explicit StoreClock(const Scheduler& time) : time_(time) {}
  std::int64_t Micros() const override { return time_.now(); }
  const std::string& BootId() const override { return boot_id_; }

 private:
  const Scheduler& time_;
  const std::string boot_id_ = "store";
};

class StoreServer {
 public:
  // Which step of which resync a call is.
  struct Step {
    std::uint64_t attempt = 0, number = 0;
    std::uint64_t known = 0;     // the highest that is known to have been done
    std::uint64_t instance = 0;  // of the server that it was sent to: a step never reaches another one
  };
  struct Begun {
    absl::StatusOr<pool::ResyncResult> result;
    std::uint64_t attempt = 0;
  };
  struct Owner {
    LogId log_id{};
    pool::ControllerEpoch epoch;
  };

  explicit StoreServer(World& world);

  // ---- calls, as they arrive ---------------------------------------------------------------------------------------
  pool::EmbeddedStore& rows() { return image_->rows; }
  absl::StatusOr<pool::ExtractResult> DoExtract(const pool::ExtractRequest& request);
  absl::StatusOr<pool::ExtractResult> DoCancel(const pool::CancelRequest& request);
  absl::StatusOr<pool::ApplyResult> DoApply(const std::vector<pool::Batch>& batches);
  Begun DoBegin(const pool::ResyncStart& start);
  // kDone: it is this resync's turn. kRepeat: it was done.
  pool::Verdict MayStep(const Owner& owner, const Step& step);
  // A finish that was done already.
  bool IsFinished(const Owner& owner, const Step& step);
  // For a call to arrive once more, whenever.
  void Remember(std::function<void()> call);

  bool embedded() const { return embedded_; }
  // Grows when another server, or another copy, takes its place.
  std::uint64_t instance() const { return instance_; }
  bool reachable() const { return embedded_ || unreachable_until_ <= world_.time.now(); }

  // ---- what befalls it ---------------------------------------------------------------------------------------------
  void ControllerGone();
  void BeUnreachable(Micros length);
  // A copy of it stands elsewhere, up to now.
  void Copy();
  // The copy takes over.
  void FailOver();
  void LoseAll();
  void BecomeForeign();
  void BecomeAhead();
  // One of the calls of late, by whichever controller, comes out of the network again.
  void RepeatCall();
  // A controller that was followed by another goes on writing.
  void WriteStale();
  // For the quiet phase: it is reached from here on.
  void BeWell() { unreachable_until_ = 0; }

  // What it shows, whole.
  std::vector<pool::AddressRow> Addresses();
  std::vector<pool::ProxyRow> Proxies();
  std::vector<pool::SessionRow> Sessions();
  // By worker.
  std::map<std::string, std::vector<std::string>> Owned();

 private:
  struct Image {
    explicit Image(const BootClock& clock) : rows(clock) {}
    pool::EmbeddedStore rows;
    std::uint64_t attempt = 0, step = 0;
  };
  pool::Position PositionNow();
  pool::ScanSlice Scan(const pool::ScanRequest& request);
  void WriteForeign(Image& image, std::vector<pool::AddressRow> rows);
  void Become(std::unique_ptr<Image> image);

  World& world_;
  const StoreClock clock_;
  const bool embedded_;
  std::unique_ptr<Image> image_, copy_;
  std::deque<std::function<void()>> calls_;  // of late
  Micros unreachable_until_ = 0;
  std::uint64_t instance_ = 1;
  std::uint64_t foreign_ = 0;  // how often it became another log's
};

}  // namespace holdfast::simulation
