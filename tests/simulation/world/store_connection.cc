#include "tests/simulation/world/store_connection.h"

#include <algorithm>
#include <optional>

namespace holdfast::simulation {
namespace {

using pool::Verdict;

constexpr Micros kLatest = 90 * kSecond;  // a call that is done late

// What a step that may not be done is answered; one that a later step has overtaken is to be repeated.
template <class Result>
absl::StatusOr<Result> NotDone(Verdict may) {
  if (may == Verdict::kRepeat) return pool::CutOff("a step of the resync was overtaken");
  Result result;
  result.verdict = may;
  return result;
}

}  // namespace

StoreConnection::Fate StoreConnection::DrawFate(Micros patience) {
  FaultPlan& faults = world_.faults;
  Fate fate;
  fate.over = patience;
  fate.cut_off = world_.random.Chance(1, 3);
  if (fate.cut_off) fate.over = world_.Between(0, patience);
  fate.arrives = world_.Between(50, kMillisecond);
  if (faults.Strikes(Fault::kStoreSlow)) fate.arrives = world_.Between(10 * kMillisecond, patience);
  fate.heard = fate.arrives + world_.Between(50, kMillisecond);
  if (faults.Strikes(Fault::kStoreCallLost)) return {-1, -1, -1, fate.over, fate.cut_off};
  if (faults.Strikes(Fault::kStoreCallLate)) {
    const Micros longest = world_.random.Chance(1, 2) ? 3 * kSecond : kLatest;
    return {fate.over + world_.Between(1, longest), -1, -1, fate.over, fate.cut_off};
  }
  if (faults.Strikes(Fault::kStoreCallTwice)) fate.again = world_.Between(fate.arrives, kLatest);
  if (faults.Strikes(Fault::kStoreAnswerLost)) fate.heard = -1;
  if (fate.heard > patience) fate.heard = -1;
  if (fate.heard >= 0) fate.over = fate.heard;
  return fate;
}

// What arrives does so whatever has become of the caller meanwhile.
template <class Result>
absl::StatusOr<Result> StoreConnection::Call(const std::function<absl::StatusOr<Result>()>& done, Duration patience) {
  if (server_.embedded()) return done();
  if (!server_.reachable()) {
    if (!wait_(world_.time.now() + world_.Between(50, 20 * kMillisecond))) return pool::CutOff("the process is gone");
    return pool::Unreachable("the simulated store is away");
  }
  const Micros began = world_.time.now();
  const Fate fate = DrawFate(std::max<Micros>(patience.count(), kMillisecond));
  const auto answer = std::make_shared<std::optional<absl::StatusOr<Result>>>();
  const auto arrive = [this_server = &server_, done, answer] {
    if (!this_server->reachable()) return;
    absl::StatusOr<Result> result = done();
    if (!answer->has_value()) answer->emplace(std::move(result));
  };
  if (fate.arrives >= 0) world_.time.At(began + fate.arrives, arrive);
  if (fate.again >= 0) world_.time.At(began + fate.again, arrive);
  server_.Remember(arrive);
  if (!wait_(began + fate.over)) return pool::CutOff("the process is gone");
  if (fate.heard >= 0 && answer->has_value()) return **answer;
  return fate.cut_off ? pool::CutOff("the connection broke") : pool::TimedOut("no answer came");
}

absl::StatusOr<pool::Position> StoreConnection::ReadPosition(Duration patience) {
  return Call<pool::Position>([server = &server_] { return server->rows().ReadPosition(kNoWait); }, patience);
}

absl::StatusOr<pool::ApplyResult> StoreConnection::Apply(std::span<const pool::Batch> batches, Duration patience) {
  const auto sent = std::make_shared<std::vector<pool::Batch>>(batches.begin(), batches.end());
  return Call<pool::ApplyResult>([server = &server_, sent] { return server->DoApply(*sent); }, patience);
}

absl::StatusOr<pool::ExtractResult> StoreConnection::Extract(const pool::ExtractRequest& request, Duration patience) {
  return Call<pool::ExtractResult>([server = &server_, request] { return server->DoExtract(request); }, patience);
}

absl::StatusOr<pool::ExtractResult> StoreConnection::Cancel(const pool::CancelRequest& request, Duration patience) {
  return Call<pool::ExtractResult>([server = &server_, request] { return server->rows().Cancel(request, kNoWait); },
                                   patience);
}

absl::StatusOr<pool::ResyncResult> StoreConnection::BeginResync(const pool::ResyncStart& start, Duration patience) {
  const auto attempt = std::make_shared<std::uint64_t>(0);
  auto result = Call<pool::ResyncResult>(
      [server = &server_, start, attempt] {
        StoreServer::Begun begun = server->DoBegin(start);
        if (*attempt == 0) *attempt = begun.attempt;
        return begun.result;
      },
      patience);
  if (!result.ok() || result->verdict != Verdict::kDone) return result;
  owner_ = {start.log_id, start.controller_epoch};
  attempt_ = *attempt;
  step_ = known_ = 0;
  resync_.Begin();
  return result;
}

absl::StatusOr<pool::ClearProgress> StoreConnection::ClearSome(Duration patience) {
  if (absl::Status status = resync_.MayClear(); !status.ok()) return status;
  auto result = Call<pool::ClearProgress>(
      [server = &server_, owner = owner_, step = NextStep()]() -> absl::StatusOr<pool::ClearProgress> {
        const Verdict may = server->MayStep(owner, step);
        if (may == Verdict::kDone) return server->rows().ClearSome(kNoWait);
        return NotDone<pool::ClearProgress>(may);
      },
      patience);
  if (result.ok() && result->verdict == Verdict::kDone) known_ = step_;
  if (result.ok() && result->finished) resync_.Cleared();
  return result;
}

absl::StatusOr<pool::ResyncResult> StoreConnection::WriteResync(std::span<const pool::Write> rows, Duration patience) {
  if (absl::Status status = resync_.MayWrite(); !status.ok()) return status;
  resync_.Written();
  const auto sent = std::make_shared<std::vector<pool::Write>>(rows.begin(), rows.end());
  auto result = Call<pool::ResyncResult>(
      [server = &server_, owner = owner_, step = NextStep(), sent]() -> absl::StatusOr<pool::ResyncResult> {
        const Verdict may = server->MayStep(owner, step);
        if (may == Verdict::kDone) return server->rows().WriteResync(*sent, kNoWait);
        return NotDone<pool::ResyncResult>(may);
      },
      patience);
  if (result.ok() && result->verdict == Verdict::kDone) known_ = step_;
  return result;
}

absl::StatusOr<pool::ResyncResult> StoreConnection::FinishResync(Sequence applied_seq, Duration patience) {
  if (absl::Status status = resync_.MayWrite(); !status.ok()) return status;
  auto result = Call<pool::ResyncResult>(
      [server = &server_, owner = owner_, step = NextStep(), applied_seq]() -> absl::StatusOr<pool::ResyncResult> {
        if (server->IsFinished(owner, step)) return pool::ResyncResult{};
        const Verdict may = server->MayStep(owner, step);
        if (may == Verdict::kDone) return server->rows().FinishResync(applied_seq, kNoWait);
        return NotDone<pool::ResyncResult>(may);
      },
      patience);
  if (result.ok() && result->verdict == Verdict::kDone) resync_.End();
  return result;
}

}  // namespace holdfast::simulation
