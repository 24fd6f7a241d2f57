#include "tools/fleet/client_process.h"

#include <algorithm>
#include <utility>

#include "client/reject_reaction.h"
#include "tools/fleet/client_demand.h"

namespace holdfast::fleet {

namespace wire = controlplane::v1;
using client::CallResult;
using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;
using distribution::v1::ReleaseRequest;
using distribution::v1::ReleaseResponse;

namespace {

// The controller waits two seconds for the pool store.
constexpr Duration kDeadline = std::chrono::seconds(5);
constexpr Duration kBackoffLeast = std::chrono::milliseconds(100);
constexpr Duration kBackoffMost = std::chrono::seconds(3);
constexpr int kNotEnoughMost = 4;  // then it asks for something else

// It was turned away before it was decided, or because nothing can be given: no extraction comes of that call.
bool ExtractsNothing(wire::RejectReason reason) {
  return reason == wire::REJECT_REASON_OVERLOADED || reason == wire::REJECT_REASON_NOT_READY ||
         reason == wire::REJECT_REASON_MALFORMED || reason == wire::REJECT_REASON_LIMIT_EXCEEDED;
}

// No repeat will be answered otherwise.
bool IsFinal(const CallResult& result) {
  const client::Reaction reaction = client::ReactionTo(result);
  return reaction == client::Reaction::kMend || reaction == client::Reaction::kStop ||
         reaction == client::Reaction::kNewNumber || reaction == client::Reaction::kSendLess ||
         reaction == client::Reaction::kNothing;
}

Duration Since(client::BootTime sent_at, const client::Scheduler& scheduler) { return scheduler.Now() - sent_at; }

}  // namespace

ClientProcess::ClientProcess(ClientEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                             std::size_t channel, std::string client_id, AckLog* ack_log, std::uint64_t seed)
    : environment_(environment),
      scheduler_(std::move(scheduler)),
      client_id_(std::move(client_id)),
      ack_log_(ack_log),
      prng_(seed),
      faults_(scheduler_),
      calls_(
          faults_, scheduler_, [&environment, channel] { return environment.channels.Get(channel); },
          [this](judge::What what) {
            environment_.feed.Add({scheduler_->Now().time_since_epoch().count(), {}, std::move(what)});
          }),
      backoff_(kBackoffLeast) {}

ClientProcess::~ClientProcess() {
  scheduler_->Cancel(timer_);
  scheduler_->Cancel(bound_);
  if (held_ && release_) {
    environment_.statistics.CountReleaseInDoubt(held_->size());
  } else if (held_ && asked_->request.has_hold()) {
    environment_.statistics.CountExpired(held_->size());
  } else if (!held_ && asked_ && asked_->in_doubt) {
    environment_.statistics.CountAskedInDoubt(asked_->request.count());
  }
}

// ---- takes

void ClientProcess::Ask() {
  if (leaving_) return Finish();
  const FleetOptions& options = environment_.options;
  // Whoever may be killed leaves nothing behind that does not end by itself.
  asked_ = Asked{.request = DrawDemand(prng_, options.clients.most, options.faults != Faults::kNone)};
  asked_->request.set_client_id(client_id_);
  asked_->request.set_request_id(RandomId(environment_.random));
  SendExtract();
}

void ClientProcess::SendExtract() {
  const bool was_in_doubt = std::exchange(asked_->in_doubt, true);
  calls_.Extract(
      asked_->request, kDeadline,
      [this, was_in_doubt, sent_at = scheduler_->Now()](const CallResult& result, const ExtractResponse& response) {
        environment_.statistics.CountExtract(result, Since(sent_at, *scheduler_));
        if (ExtractsNothing(result.reason())) asked_->in_doubt = was_in_doubt;
        if (!finished_) OnExtracted(result, response);
      });
}

void ClientProcess::OnExtracted(const CallResult& result, const ExtractResponse& response) {
  if (!result.ok()) return OnExtractRefused(result);
  backoff_ = kBackoffLeast;
  asked_->in_doubt = false;
  if (!held_) Take(response);
  if (!asked_->repeated && prng_.Chance(1, 10)) {
    asked_->repeated = true;
    environment_.statistics.CountRepeated();
    return SendExtract();
  }
  Keep();
}

void ClientProcess::OnExtractRefused(const CallResult& result) {
  const bool not_enough = result.reason() == wire::REJECT_REASON_NOT_ENOUGH_PROXIES;
  if (not_enough || result.reason() == wire::REJECT_REASON_NOT_FOUND) asked_->in_doubt = false;
  if (not_enough && !leaving_ && ++asked_->not_enough < kNotEnoughMost)
    return Again(result, &ClientProcess::SendExtract);
  if (!not_enough && !IsFinal(result)) return Again(result, &ClientProcess::SendExtract);
  if (held_) return Forget();
  environment_.statistics.CountGivenUp();
  if (asked_->in_doubt) environment_.statistics.CountAskedInDoubt(asked_->request.count());
  asked_.reset();
  Again(result, &ClientProcess::Ask);
}

void ClientProcess::Take(const ExtractResponse& response) {
  held_.emplace(response);
  environment_.statistics.CountExtracted(held_->size());
  if (!ack_log_) return;
  ack_log_->Append({{"client_id", client_id_},
                    {"kind", "extract"},
                    {"request_id", asked_->request.request_id()},
                    {"extraction_id", response.extraction_id()},
                    {"machines", held_->size()},
                    {"log_sequence", response.log_sequence()}});
}

void ClientProcess::Keep() {
  const Duration keep = environment_.options.clients.keep;
  const bool forgets = prng_.Chance(1, 50);
  const Duration length(prng_.Between(0, 2 * keep.count()));
  if (leaving_ || keep.count() == 0) return GiveBack();
  Later(length, forgets && asked_->request.has_hold() ? &ClientProcess::Forget : &ClientProcess::GiveBack);
}

// ---- gives back

void ClientProcess::Forget() {
  if (leaving_ && !release_) return GiveBack();
  environment_.statistics.CountExpired(held_->size());
  held_.reset();
  release_.reset();
  Ask();
}

void ClientProcess::GiveBack() {
  parts_ = DrawReleases(prng_, held_->ProxyIds());
  std::reverse(parts_.begin(), parts_.end());
  BeginRelease();
}

void ClientProcess::BeginRelease() {
  release_.emplace();
  release_->set_client_id(client_id_);
  release_->set_request_id(RandomId(environment_.random));
  release_->set_extraction_id(held_->extraction_id());
  for (const std::string& proxy_id : parts_.back()) release_->add_proxy_ids(proxy_id);
  parts_.pop_back();
  SendRelease();
}

void ClientProcess::SendRelease() {
  calls_.Release(*release_, kDeadline,
                 [this, sent_at = scheduler_->Now()](const CallResult& result, const ReleaseResponse& response) {
                   environment_.statistics.CountRelease(result, Since(sent_at, *scheduler_));
                   if (!finished_) OnReleased(result, response);
                 });
}

void ClientProcess::OnReleased(const CallResult& result, const ReleaseResponse& response) {
  if (!result.ok() && !IsFinal(result)) return Again(result, &ClientProcess::SendRelease);
  if (!result.ok()) return Forget();
  backoff_ = kBackoffLeast;
  environment_.statistics.CountReleased(held_->GiveBack(release_->proxy_ids()));
  if (ack_log_) {
    ack_log_->Append({{"client_id", client_id_},
                      {"kind", "release"},
                      {"request_id", release_->request_id()},
                      {"extraction_id", release_->extraction_id()},
                      {"released", response.released()},
                      {"log_sequence", response.log_sequence()}});
  }
  release_.reset();
  if (!parts_.empty()) return BeginRelease();
  held_.reset();
  Ask();
}

// ---- waits

void ClientProcess::Again(const CallResult& result, Step step) {
  // Without a word of the controller: it may be elsewhere by now.
  if (!result.detail) calls_.Reconnect();
  const Duration wait = client::RetryAfter(result).value_or(backoff_);
  backoff_ = std::min(backoff_ * 2, kBackoffMost);
  Later(wait * prng_.Between(80, 120) / 100, step);
}

void ClientProcess::Later(Duration delay, Step step) {
  step_ = step;
  timer_ = scheduler_->RunAt(scheduler_->Now() + delay, [this] {
    timer_ = 0;
    (this->*std::exchange(step_, nullptr))();
  });
}

void ClientProcess::Drain(Duration bound, std::function<void()> done) {
  leaving_ = true;
  on_finished_ = std::move(done);
  faults_.SetVanished(false);
  bound_ = scheduler_->RunAt(scheduler_->Now() + bound, [this] {
    bound_ = 0;
    Finish();
  });
  if (timer_ == 0) return;  // a call is under way
  scheduler_->Cancel(std::exchange(timer_, 0));
  (this->*std::exchange(step_, nullptr))();
}

void ClientProcess::Finish() {
  finished_ = true;
  scheduler_->Cancel(std::exchange(timer_, 0));
  scheduler_->Cancel(std::exchange(bound_, 0));
  if (on_finished_) std::exchange(on_finished_, nullptr)();
}

}  // namespace holdfast::fleet
