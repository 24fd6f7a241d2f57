#include "server/import_call.h"

#include <utility>

#include "controller/validate.h"
#include "server/import_call_redaction.h"
#include "server/rejection_status.h"

namespace holdfast::server {

class ImportCall::Sink final : public ReplySink {
 public:
  explicit Sink(std::shared_ptr<ImportCall> call) : call_(std::move(call)) {}
  ~Sink() override {
    if (call_) call_->EndWith(ShuttingDownRejection());
  }
  void Deliver(Reply reply) override { std::exchange(call_, nullptr)->Decided(std::move(reply)); }

 private:
  std::shared_ptr<ImportCall> call_;  // nullptr: delivered
};

ImportCall::ImportCall(const ReadContext& reads, grpc::CallbackServerContext* context)
    : reads_(reads), peer_(context->peer()), context_(context) {}

ImportCall* ImportCall::Begin(const ReadContext& reads, grpc::CallbackServerContext* context) {
  const auto call = std::make_shared<ImportCall>(reads, context);
  {
    const std::lock_guard<std::mutex> lock(call->mutex_);
    call->self_ = call;
  }
  call->number_ = reads.streams.Add(call);
  if (call->number_ == 0) {
    call->EndWith(ShuttingDownRejection());
  } else {
    call->StartRead(&call->request_);
  }
  return call.get();
}

void ImportCall::OnReadDone(bool ok) {
  const auto self = shared_from_this();
  if (!ok) return End(grpc::Status::OK);  // the client has sent all, or is gone
  TakeBatch();
}

void ImportCall::TakeBatch() {
  if (last_) {
    return EndWith({RejectReason::kMalformed, "a batch follows the one with replace_source, which must be the last",
                    "replace_source"});
  }
  if (const auto rejection = Validate(request_, reads_.settings)) return EndWith(*rejection);
  if (const auto rejection = reads_.admission.Refuse(CallClass::kImport, peer_)) return EndWith(*rejection);
  RedactSecrets(reads_.settings, &request_);
  removing_ = false;
  last_ = !request_.replace_source().empty();
  log::v1::Input input;
  log::v1::ImportProxies* import = input.mutable_import_proxies();
  import->mutable_request()->Swap(&request_);
  request_.set_replace_source(import->request().replace_source());  // what is still to be done
  import->set_import(import_);
  import->set_first_index(next_index_);
  next_index_ += static_cast<std::uint64_t>(import->request().proxies_size());
  Submit(input);
}

void ImportCall::Submit(const log::v1::Input& input) {
  Command command = MakeCommand(input, kLoopbackPrincipal, peer_, std::make_unique<Sink>(shared_from_this()));
  if (reads_.loop.Submit(command, CallClass::kImport)) return;
  command.sink->Deliver(Admission::Overloaded(CallClass::kImport, peer_));
}

void ImportCall::Decided(Reply reply) {
  if (const auto* rejection = std::get_if<Rejection>(&reply)) return EndWith(*rejection);
  auto& decided = std::get<admin::v1::ImportProxiesResponse>(reply);
  if (!removing_) {
    response_ = std::move(decided);
    if (import_ == 0) import_ = response_.log_sequence();
    return last_ ? RemoveUnnamed() : Answer();
  }
  response_.set_removed(response_.removed() + decided.removed());
  decided.removed() < kRemovedAtOnce ? Answer() : RemoveUnnamed();
}

void ImportCall::RemoveUnnamed() {
  removing_ = true;
  log::v1::Input input;
  input.mutable_remove_unnamed()->set_source(request_.replace_source());
  input.mutable_remove_unnamed()->set_import(import_);
  input.mutable_remove_unnamed()->set_limit(kRemovedAtOnce);
  Submit(input);
}

void ImportCall::Answer() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) return;
  patience_ = reads_.loop.Now() + reads_.slow_after;
  StartWrite(&response_);
}

void ImportCall::OnWriteDone(bool ok) {
  const auto self = shared_from_this();
  if (!ok) return End(grpc::Status(grpc::StatusCode::CANCELLED, "the stream broke"));
  const std::lock_guard<std::mutex> lock(mutex_);
  if (ended_) return;
  patience_ = LogTime();
  request_.Clear();
  StartRead(&request_);
}

void ImportCall::Tick(LogTime now) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (context_ == nullptr || IsAbsent(patience_) || !IsOver(patience_, now)) return;
  patience_ = LogTime();
  reads_.streams.NoteSlow();
  context_->TryCancel();  // its answers are not read: what was answered last is all that is known to have arrived
}

void ImportCall::OnCancel() { End(grpc::Status(grpc::StatusCode::CANCELLED, "the client went away")); }

void ImportCall::EndWith(const Rejection& rejection) { End(StatusOf(rejection)); }

void ImportCall::End(const grpc::Status& status) {
  const auto self = shared_from_this();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (std::exchange(ended_, true)) return;
  patience_ = reads_.loop.Now() + reads_.slow_after;
  Finish(status);
}

void ImportCall::OnDone() {
  std::shared_ptr<ImportCall> self;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    context_ = nullptr;
    self = std::move(self_);
  }
  reads_.streams.Remove(number_);
}

}  // namespace holdfast::server
