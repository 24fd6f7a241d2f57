#include "server/pool_driver.h"

#include <absl/strings/str_cat.h>

#include <future>
#include <utility>

#include "server/daemon_log.h"
#include "server/pool_tail.h"

namespace holdfast::server {
PoolDriver::PoolDriver(ControllerLoop& loop, std::unique_ptr<pool::PoolStore> store, SinkMaker settle_sink,
                       const pool::Projector::Options& options)
    : loop_(loop),
      store_(std::move(store)),
      settle_sink_(std::move(settle_sink)),
      options_(options),
      projector_({*store_, *this, *this, [this] { return loop_.Now(); },
                  [this](Sequence after, Sequence upto) { return ReadPoolTail(loop_.event_log(), after, upto); }},
                 options) {}

PoolDriver::~PoolDriver() { Stop(); }

// ---- the follower's side
// ---------------------------------------------------------------------------------------------

void PoolDriver::Attach() {
  Read([this](const ControllerState&, pool::Feed&) {});  // made by the first read
}

bool PoolDriver::Read(const Look& look) {
  auto done = std::make_shared<std::promise<void>>();
  const std::future<void> over = done->get_future();  // also when the follower stops and drops the read
  bool has_run = false;
  const bool queued = loop_.follower().Read([this, &look, &has_run, done](const ControllerState& state) {
    if (!feed_) {
      pool::Feed::Listener listener;
      listener.work = [this] { Wake(); };
      listener.unsendable = [this](const std::string& extraction_id) { Unsendable(extraction_id); };
      feed_ = std::make_unique<pool::Feed>(state, std::move(listener));
      loop_.follower().SetObserver(this);
    }
    look(state, *feed_);
    has_run = true;
    done->set_value();
  });
  done.reset();
  if (queued) over.wait();
  return has_run;
}

void PoolDriver::Detach() {
  Read([this](const ControllerState&, pool::Feed&) { loop_.follower().SetObserver(nullptr); });
}

void PoolDriver::Before(const ControllerState& state, const Event& event, const EntryPoint& entry) {
  feed_->Before(event, entry, state);
}

// ---- inputs
// ----------------------------------------------------------------------------------------------------------

void PoolDriver::StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) {
  log::v1::Input input;
  log::v1::PoolStoreSeen* seen = input.mutable_pool_store_seen();
  seen->set_log_id(log_id);
  seen->set_applied_sequence(applied.value());
  seen->set_incomplete(incomplete);
  loop_.SubmitOwn(input);
}

void PoolDriver::StoreWritten(Sequence applied, std::uint64_t proxies) {
  log::v1::Input input;
  input.mutable_pool_store_written()->set_applied_sequence(applied.value());
  input.mutable_pool_store_written()->set_proxies(proxies);
  loop_.SubmitOwn(input);
}

void PoolDriver::Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) {
  log::v1::Input input;
  log::v1::ExtractionAnswered* answered = input.mutable_extraction_answered();
  answered->set_extraction_id(extraction_id);
  for (const AddressKey address : moved) answered->add_addresses(address.value());
  answered->set_cancelled(cancelled);
  loop_.SubmitOwn(input, settle_sink_ ? settle_sink_() : nullptr);
}

void PoolDriver::Unanswered(const std::string& extraction_id, const std::string& cause) {
  log::v1::Input input;
  input.mutable_extraction_unanswered()->set_extraction_id(extraction_id);
  input.mutable_extraction_unanswered()->set_cause(cause);
  loop_.SubmitOwn(input, settle_sink_ ? settle_sink_() : nullptr);
}

// The client is told at once, and nothing is held for it: the store was never asked.
void PoolDriver::Unsendable(const std::string& extraction_id) {
  Unanswered(extraction_id, "the pool store cannot be reached");
  Answered(extraction_id, {}, true);
}

// ---- the thread
// ------------------------------------------------------------------------------------------------------

void PoolDriver::Start() {
  Attach();
  thread_ = std::thread([this] { Run(); });
}

void PoolDriver::Stop() {
  if (stopped_.exchange(true)) return;
  Wake();
  if (thread_.joinable()) thread_.join();
  Detach();
  std::deque<std::function<void()>> left;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    left.swap(posted_);
  }
  for (const std::function<void()>& work : left) work();
  EndJobs("the daemon is being stopped");
}

void PoolDriver::Wake() {
  const std::lock_guard<std::mutex> lock(mutex_);
  woken_ = true;
  wake_.notify_one();
}

void PoolDriver::Post(std::function<void()> work) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!stopped_.load()) {
      posted_.push_back(std::move(work));
      woken_ = true;
      wake_.notify_one();
      return;
    }
  }
  work();  // it finds that all is over
}

void PoolDriver::Run() {
  while (!stopped_.load()) {
    const Duration wait = StepOnce();
    std::unique_lock<std::mutex> lock(mutex_);
    if (wait > Duration(0)) wake_.wait_for(lock, wait, [&] { return woken_ || stopped_.load(); });
    woken_ = false;
  }
}

Duration PoolDriver::StepOnce() {
  std::deque<std::function<void()>> posted;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    posted.swap(posted_);
  }
  for (const std::function<void()>& work : posted) work();
  const pool::ProjectorStatus before = projector_.status();
  Duration wait = projector_.Step();
  LogChange(before);
  if (CompareSome()) wait = Duration(0);
  LookAtRebuilds();
  const std::lock_guard<std::mutex> lock(mutex_);
  status_ = projector_.status();
  return wait;
}

void PoolDriver::LogChange(const pool::ProjectorStatus& before) {
  const pool::ProjectorStatus& now = projector_.status();
  // Once for each outage, not for each try: it ends with the store being ready.
  if (!now.trouble.empty() && !std::exchange(told_trouble_, true)) LogWarning("pool store: " + now.trouble);
  if (now.phase == pool::ProjectorPhase::kReady && now.trouble.empty()) told_trouble_ = false;
  if (now.phase == before.phase) return;
  using Phase = pool::ProjectorPhase;
  if (now.phase == Phase::kReady) {
    LogInfo(absl::StrCat("pool store: ready, through sequence ", now.applied.value()));
  } else if (now.phase == Phase::kWriting) {
    LogInfo("pool store: it is written anew; nothing is extracted meanwhile");
  } else if (now.phase == Phase::kForeign) {
    LogError("pool store: it belongs to another log, or is ahead of this one; `holdfast pool adopt` takes it over");
  } else if (now.phase == Phase::kSuperseded) {
    LogError("pool store: a later controller of this log has written it; end one of the two");
  }
}

pool::ProjectorStatus PoolDriver::status() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return status_;
}

}  // namespace holdfast::server
