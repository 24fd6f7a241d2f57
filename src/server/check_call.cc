#include "server/check_call.h"

#include <utility>

#include "controller/check_times.h"
#include "server/health_status.h"
#include "server/operator_call.h"
#include "server/read_error.h"
#include "server/read_observation.h"

namespace holdfast::server {

class CheckCall::Sink final : public ReplySink {
 public:
  explicit Sink(std::shared_ptr<CheckCall> call) : call_(std::move(call)) {}
  ~Sink() override {
    if (call_) call_->EndWith(ShuttingDownRejection());
  }
  void Deliver(Reply reply) override {
    const std::shared_ptr<CheckCall> call = std::move(call_);
    if (const auto* rejection = std::get_if<Rejection>(&reply)) return call->EndWith(*rejection);
    call->Wait(std::get<CheckAccepted>(reply));
  }

 private:
  std::shared_ptr<CheckCall> call_;
};

CheckCall* CheckCall::Begin(const std::shared_ptr<CheckCall>& call, grpc::CallbackServerContext* context,
                            const std::optional<Rejection>& rejection) {
  {
    const std::lock_guard<std::mutex> lock(call->mutex_);
    call->self_ = call;
  }
  call->number_ = call->reads_.streams.Add(call);
  if (call->number_ == 0) {
    call->EndWith(ShuttingDownRejection());
    return call.get();
  }
  log::v1::Input input;
  *input.mutable_check_proxy() = call->request_;
  SubmitOperatorInput(call->reads_, context, input, rejection, std::make_unique<Sink>(call));
  return call.get();
}

void CheckCall::EndWith(const Rejection& rejection) { Answer(StatusOf(rejection), nullptr); }

void CheckCall::OnCancel() { Answer(grpc::Status(grpc::StatusCode::CANCELLED, "the client went away"), nullptr); }

void CheckCall::OnDone() {
  std::shared_ptr<CheckCall> self;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    self = std::move(self_);
  }
  reads_.streams.Remove(number_);
}

// A task that was under way already may have to run out before the one that was asked for: hence twice.
void CheckCall::Wait(const CheckAccepted& accepted) {
  accepted_ = accepted;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    patience_ = reads_.loop.Now() + 2 * (CheckTimeout(reads_.settings, accepted.level) + kCheckMargin);
  }
  LookSoon(false);
}

void CheckCall::Tick(LogTime now) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (ended_ || IsAbsent(patience_) || !IsOver(patience_, now)) return;
    patience_ = LogTime();
  }
  LookSoon(true);
}

void CheckCall::LookSoon(bool for_the_last_time) {
  const auto look = [self = shared_from_this(), for_the_last_time](const ControllerState& state) {
    self->Look(state, for_the_last_time);
  };
  if (!reads_.loop.follower().Read(look)) EndWith(ShuttingDownRejection());
}

void CheckCall::Look(const ControllerState& state, bool for_the_last_time) {
  Response answer;
  if (state.pool().proxies().Find(accepted_.proxy) == nullptr) return Answer(grpc::Status::OK, &answer);
  const KeyHealth* known = state.health().proxy(accepted_.proxy).Find(accepted_.level, accepted_.routing);
  if (known != nullptr && known->latest.sequence > accepted_.sequence) return TellObserved(state, known->latest);
  if (for_the_last_time || IsOverUnobserved(state)) {
    PutHealthStatus(state, {accepted_.proxy, accepted_.level, accepted_.routing}, answer.mutable_status());
    return Answer(grpc::Status::OK, &answer);
  }
  if (!reads_.streams.WaitBeyond(number_, state.run().last().sequence)) LookSoon(false);
}

// Its task has ended, or there will be none. That one ended which was under way before says nothing: another follows.
bool CheckCall::IsOverUnobserved(const ControllerState& state) {
  const ProxyChecks& checks = state.checks().proxy(accepted_.proxy);
  const CheckRow* check = checks.Find(accepted_.level, accepted_.routing);
  if (check == nullptr || checks.stopped) return true;
  if (task_.value() != 0) return check->task != task_;
  if (check->task != accepted_.under_way) task_ = check->task;
  return false;
}

// What the checker said stands in the log, whole.
void CheckCall::TellObserved(const ControllerState& state, const Evidence& latest) {
  const auto answer = std::make_shared<Response>();
  PutHealthStatus(state, {accepted_.proxy, accepted_.level, accepted_.routing}, answer->mutable_status());
  const auto read = [self = shared_from_this(), answer, latest] {
    auto observation = ReadObservation(self->reads_.loop.event_log(), latest);
    if (!observation.ok()) return self->Answer(ReadError("the observation", observation.status()), nullptr);
    *answer->mutable_observation() = std::move(*observation);
    self->Answer(grpc::Status::OK, answer.get());
  };
  if (!reads_.pool.Post(read)) EndWith(ShuttingDownRejection());
}

void CheckCall::Answer(const grpc::Status& status, Response* answer) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(ended_, true)) return;
  if (answer != nullptr) response_->Swap(answer);
  Finish(status);
}

}  // namespace holdfast::server
