#include "tests/simulation/world/store_server.h"

#include <utility>

#include "tests/simulation/world/machine_clock.h"

namespace holdfast::simulation {
namespace {

using pool::Verdict;

constexpr std::size_t kCallsKept = 48;
constexpr std::uint64_t kFarAhead = 1'000'000;  // beyond the end of every log of a run
constexpr Micros kHold = 60 * kSecond;          // of what a stale controller extracts

}  // namespace

StoreServer::StoreServer(World& world)
    : world_(world), clock_(world.time), embedded_(world.random.Chance(1, 4)), image_(std::make_unique<Image>(clock_)) {
  copy_ = std::make_unique<Image>(*image_);
}

pool::Position StoreServer::PositionNow() { return *image_->rows.ReadPosition(kNoWait); }

// ---- calls ---------------------------------------------------------------------------------------------------------

absl::StatusOr<pool::ExtractResult> StoreServer::DoExtract(const pool::ExtractRequest& request) {
  const pool::Position before = PositionNow();
  absl::StatusOr<pool::ExtractResult> result = image_->rows.Extract(request, kNoWait);
  if (!result.ok() || result->verdict != Verdict::kDone || result->cancelled) return result;
  std::vector<std::string> moved;
  for (const pool::Candidate& candidate : result->moved) moved.push_back(candidate.address);
  const bool is_new = PositionNow().applied_seq > before.applied_seq;
  world_.checkers.extractions().StoreMoved(request.extraction_id, moved, is_new);
  return result;
}

absl::StatusOr<pool::ExtractResult> StoreServer::DoCancel(const pool::CancelRequest& request) {
  absl::StatusOr<pool::ExtractResult> result = image_->rows.Cancel(request, kNoWait);
  const bool cancelled = result.ok() && result->verdict == Verdict::kDone && result->cancelled;
  if (cancelled) world_.checkers.extractions().StoreCancelled(request.extraction_id);
  return result;
}

absl::StatusOr<pool::ApplyResult> StoreServer::DoApply(const std::vector<pool::Batch>& batches) {
  return image_->rows.Apply(batches, kNoWait);
}

StoreServer::Begun StoreServer::DoBegin(const pool::ResyncStart& start) {
  Begun begun{image_->rows.BeginResync(start, kNoWait)};
  if (!begun.result.ok() || begun.result->verdict != Verdict::kDone) return begun;
  image_->step = 0;
  begun.attempt = ++image_->attempt;
  return begun;
}

Verdict StoreServer::MayStep(const Owner& owner, const Step& step) {
  const pool::Position position = PositionNow();
  if (step.instance != instance_) return Verdict::kNotResyncing;
  if (position.condition == pool::Position::Condition::kEmpty) return Verdict::kEmpty;
  if (position.log_id != owner.log_id) return Verdict::kOtherLog;
  if (owner.epoch < position.controller_epoch) return Verdict::kStaleEpoch;
  const bool is_its = owner.epoch == position.controller_epoch && step.attempt == image_->attempt;
  if (!is_its || position.condition != pool::Position::Condition::kResyncing) return Verdict::kNotResyncing;
  if (image_->step < step.known) return Verdict::kNotResyncing;
  if (step.number <= image_->step) return Verdict::kRepeat;
  // A copy that is taken now lacks this step and all that come after it: a step is done whole, or not at all.
  if (world_.faults.Strikes(Fault::kStoreFailsOverHalfWay)) {
    Copy();
    world_.time.After(world_.Between(0, 20 * kMillisecond), [this] { FailOver(); });
  }
  image_->step = step.number;
  return Verdict::kDone;
}

bool StoreServer::IsFinished(const Owner& owner, const Step& step) {
  const pool::Position position = PositionNow();
  return position.condition == pool::Position::Condition::kReady && position.log_id == owner.log_id &&
         position.controller_epoch == owner.epoch && step.attempt == image_->attempt;
}

void StoreServer::Remember(std::function<void()> call) {
  if (embedded_) return;
  calls_.push_back(std::move(call));
  if (calls_.size() > kCallsKept) calls_.pop_front();
}

// ---- what befalls it -----------------------------------------------------------------------------------------------

void StoreServer::ControllerGone() {
  if (embedded_) Become(std::make_unique<Image>(clock_));
}

void StoreServer::Become(std::unique_ptr<Image> image) {
  image_ = std::move(image);
  ++instance_;
  world_.checkers.extractions().StoreReplaced();
}

void StoreServer::BeUnreachable(Micros length) { unreachable_until_ = world_.time.now() + length; }

void StoreServer::Copy() { copy_ = std::make_unique<Image>(*image_); }

void StoreServer::FailOver() { Become(std::make_unique<Image>(*copy_)); }

void StoreServer::LoseAll() {
  Become(std::make_unique<Image>(clock_));
  if (world_.random.Chance(1, 2)) Copy();
}

// Another log's, whatever it says: some of what stands here is a client's there, some a worker's.
void StoreServer::BecomeForeign() {
  std::vector<pool::AddressRow> rows = Addresses();
  ++foreign_;
  for (pool::AddressRow& row : rows) {
    const std::uint64_t drawn = world_.random.Below(4);
    row.owner.clear();
    row.extraction_id.clear();
    row.epoch = Epoch();
    row.state = pool::AddressState::kUnowned;
    row.sequence = Sequence(1 + world_.random.Below(1'000));
    if (drawn == 0) {
      row.state = pool::AddressState::kGranted;
      row.owner = "w" + std::to_string(world_.Between(1, 9));
      row.epoch = Epoch(std::uint64_t{1} << 32);
    } else if (drawn == 1) {
      row.state = pool::AddressState::kExtracted;
      row.extraction_id = "foreign-" + std::to_string(foreign_) + "-" + std::to_string(world_.random.Below(3));
      row.extracted_until = LogTimeFromMicros(kBeginning + world_.time.now() + world_.Between(0, 90 * kSecond));
    }
  }
  auto image = std::make_unique<Image>(clock_);
  WriteForeign(*image, std::move(rows));
  Become(std::move(image));
}

void StoreServer::WriteForeign(Image& image, std::vector<pool::AddressRow> rows) {
  pool::ResyncStart start;
  for (std::uint8_t& byte : start.log_id) byte = static_cast<std::uint8_t>(world_.random.Below(256));
  start.controller_epoch = pool::ControllerEpoch(1 + world_.random.Below(20));
  std::vector<pool::Write> writes;
  for (pool::AddressRow& row : rows) writes.emplace_back(pool::AddressWrite{std::move(row), "", ""});
  (void)image.rows.BeginResync(start, kNoWait);
  (void)image.rows.ClearSome(kNoWait);
  (void)image.rows.WriteResync(writes, kNoWait);
  (void)image.rows.FinishResync(Sequence(1 + world_.random.Below(5'000)), kNoWait);
}

// As where a log was restored from a copy that lacks its end: what the store shows comes from the part that is lost.
void StoreServer::BecomeAhead() {
  const pool::Position position = PositionNow();
  if (position.condition != pool::Position::Condition::kReady) return;
  pool::Batch batch{
      .log_id = position.log_id,
      .controller_epoch = pool::ControllerEpoch(position.controller_epoch.value() + world_.random.Below(3)),
      .follows = position.applied_seq,
      .upto = Sequence(position.applied_seq.value() + kFarAhead),
      .writes = {},
      .settled = {}};
  ++foreign_;
  for (pool::AddressRow& row : Addresses()) {
    if (row.state != pool::AddressState::kUnowned || !world_.random.Chance(1, 3) || batch.writes.size() > 100) continue;
    row.state = pool::AddressState::kExtracted;
    row.extraction_id = "lost-" + std::to_string(foreign_);
    row.extracted_until = LogTimeFromMicros(kBeginning + world_.time.now() + world_.Between(0, 90 * kSecond));
    batch.writes.emplace_back(pool::AddressWrite{std::move(row), "", ""});
  }
  (void)DoApply({batch});
}

void StoreServer::RepeatCall() {
  if (!calls_.empty() && reachable()) calls_[world_.random.Below(calls_.size())]();
}

void StoreServer::WriteStale() {
  const pool::Position position = PositionNow();
  const bool is_followed =
      position.condition == pool::Position::Condition::kReady && position.controller_epoch > pool::ControllerEpoch(1);
  if (!is_followed || !reachable()) return;
  const pool::ControllerEpoch stale(1 + world_.random.Below(position.controller_epoch.value() - 1));
  pool::Batch batch{.log_id = position.log_id,
                    .controller_epoch = stale,
                    .follows = position.applied_seq,
                    .upto = Next(position.applied_seq),
                    .writes = {},
                    .settled = {}};
  pool::ExtractRequest request{.log_id = position.log_id,
                               .controller_epoch = stale,
                               .extraction_id = "stale-" + std::to_string(world_.random.Below(1'000)),
                               .follows = position.applied_seq,
                               .sequence = Next(position.applied_seq),
                               .candidates = {},
                               .extracted_until = LogTimeFromMicros(kBeginning + world_.time.now() + kHold)};
  for (pool::AddressRow& row : Addresses()) {
    request.candidates.push_back({row.id, {}});
    if (batch.writes.size() > 100) continue;
    pool::AddressWrite write{std::move(row), "", ""};
    write.ends_extraction = std::exchange(write.row.extraction_id, "");
    write.previous_owner = std::exchange(write.row.owner, "");
    write.row.state = pool::AddressState::kUnowned;
    write.row.epoch = Epoch();
    write.row.extracted_until = LogTime();
    batch.writes.emplace_back(std::move(write));
  }
  request.need = static_cast<std::uint32_t>(request.candidates.size());
  if (!request.candidates.empty() && world_.random.Chance(1, 2)) {
    (void)DoExtract(request);
  } else {
    (void)DoApply({batch});
  }
}

// ---- what it shows -------------------------------------------------------------------------------------------------

pool::ScanSlice StoreServer::Scan(const pool::ScanRequest& request) { return *image_->rows.Scan(request, kNoWait); }

std::vector<pool::AddressRow> StoreServer::Addresses() {
  return Scan({.kind = pool::ScanKind::kAddresses, .limit = SIZE_MAX}).addresses;
}

std::vector<pool::ProxyRow> StoreServer::Proxies() {
  return Scan({.kind = pool::ScanKind::kProxies, .limit = SIZE_MAX}).proxies;
}

std::vector<pool::SessionRow> StoreServer::Sessions() {
  return Scan({.kind = pool::ScanKind::kSessions, .limit = SIZE_MAX}).sessions;
}

std::map<std::string, std::vector<std::string>> StoreServer::Owned() {
  std::map<std::string, std::vector<std::string>> owned;
  for (const std::string& worker : Scan({.kind = pool::ScanKind::kOwners, .limit = SIZE_MAX}).owners) {
    owned[worker] = Scan({.kind = pool::ScanKind::kOwned, .worker = worker, .limit = SIZE_MAX}).owned;
  }
  return owned;
}

}  // namespace holdfast::simulation
