#include "tests/simulation/world/controller.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controller/validate.h"
#include "tests/simulation/world/settings_draw.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

constexpr std::int64_t kControllerDrift = 300;  // parts per million

Rejection Overloaded() {
  return {RejectReason::kOverloaded, "too much waits to be decided", "", {}, std::chrono::seconds(1)};
}

}  // namespace

// Carries an answer to its caller, with the input that it answers.
class Controller::Sink final : public ReplySink {
 public:
  Sink(Controller& controller, IncomingCall call, StreamId stream)
      : controller_(controller), call_(std::move(call)), stream_(stream) {}
  void Deliver(Reply reply) override { controller_.Answer(*this, std::move(reply)); }

  const IncomingCall& call() const { return call_; }
  StreamId stream() const { return stream_; }
  void set_logged(std::string input_bytes) { input_bytes_ = std::move(input_bytes); }
  const std::string& input_bytes() const { return input_bytes_; }
  bool unlogged = false;

 private:
  Controller& controller_;
  const IncomingCall call_;
  const StreamId stream_;
  std::string input_bytes_;
};

Controller::Controller(World& world, Network& network, StoreServer& store)
    : world_(world),
      network_(network),
      store_(store),
      clock_(world.Between(-kControllerDrift, kControllerDrift)),
      disk_(world),
      committed_(world),
      settings_(DrawSettings(world.random)),
      waiting_(world) {}

void Controller::Start() { Restart(/*other_boot=*/false); }

std::string Controller::RandomId() {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id;
  for (int i = 0; i < 32; ++i) id += kDigits[world_.random.Below(16)];
  return id;
}

LogTime Controller::Now() const {
  return log_now_ + Duration(std::max<std::int64_t>(clock_.BootMicros(world_.time.now()) - boot_micros_, 0));
}

void Controller::Pause(Micros length) { paused_until_ = world_.time.now() + length; }

void Controller::Shed(Micros length) { shed_until_ = world_.time.now() + length; }

// ---- calls ---------------------------------------------------------------------------------------------------------

std::optional<Rejection> Controller::Refuse(const IncomingCall& call) {
  const Input& input = call.input;
  switch (input.input_case()) {
    case Input::kRegisterWorker:
      return Validate(input.register_worker().request(), settings_);
    case Input::kWatchSnapshots:
      return Validate(input.watch_snapshots().request(), settings_);
    case Input::kAcknowledgeSnapshot:
      return Validate(input.acknowledge_snapshot(), settings_);
    case Input::kReportRuntime:
      return Validate(input.report_runtime().request(), settings_);
    case Input::kReportOutcomes:
      return Validate(input.report_outcomes().request(), settings_);
    case Input::kRegisterChecker:
      return Validate(input.register_checker().request(), settings_);
    case Input::kWatchTasks:
      return Validate(input.watch_tasks().request(), settings_);
    case Input::kReportObservations:
      return Validate(input.report_observations().request(), settings_);
    case Input::kCheckProxy:
      return Validate(input.check_proxy(), settings_);
    case Input::kImportProxies:
      return Validate(input.import_proxies().request(), settings_);
    case Input::kRemoveProxies:
      return Validate(input.remove_proxies(), settings_);
    case Input::kApplyRoutings:
      return Validate(input.apply_routings(), settings_);
    case Input::kExtract:
      return Validate(input.extract().request(), settings_);
    case Input::kRelease:
      return Validate(input.release(), settings_);
    case Input::kAdoptPool:
      return Validate(input.adopt_pool().request(), settings_);
    default:
      return std::nullopt;
  }
}

// Shed first: outcomes, observations, import, runtime; never ACK. Whose call was shed is told once a second.
std::optional<Rejection> Controller::RefuseShed(const Input& input) {
  if (shed_until_ <= world_.time.now()) return std::nullopt;
  if (input.has_report_runtime()) {
    const auto& request = input.report_runtime().request();
    shed_sessions_.emplace(false, request.worker_id(), request.session_id());
  } else if (input.has_report_outcomes()) {
    const auto& request = input.report_outcomes().request();
    shed_sessions_.emplace(false, request.worker_id(), request.session_id());
  } else if (input.has_report_observations()) {
    const auto& request = input.report_observations().request();
    shed_sessions_.emplace(true, request.checker_id(), request.session_id());
  } else if (!input.has_import_proxies()) {
    return std::nullopt;
  }
  if (!shed_note_due_) {
    shed_note_due_ = true;
    world_.time.After(kSecond, [this, generation = generation_] {
      if (generation == generation_) NoteShed();
    });
  }
  return Overloaded();
}

void Controller::NoteShed() {
  shed_note_due_ = false;
  Input input;
  for (const auto& [checker, member_id, session_id] : std::exchange(shed_sessions_, {})) {
    log::v1::CallsShed::Session* session = input.mutable_calls_shed()->add_sessions();
    if (checker) session->set_checker_id(member_id);
    if (!checker) session->set_worker_id(member_id);
    session->set_session_id(session_id);
  }
  if (input.has_calls_shed()) SubmitOwn(input);
}

// The streams of workers and of checkers are numbered together.
StreamId Controller::OpenStream(IncomingCall& call) {
  const StreamId stream(next_stream_++);
  if (call.input.has_watch_tasks()) {
    call.input.mutable_watch_tasks()->set_stream(stream.value());
    const auto& request = call.input.watch_tasks().request();
    streams_->Open(stream, {true, request.checker_id(), request.session_id()}, call.watch);
  } else {
    call.input.mutable_watch_snapshots()->set_stream(stream.value());
    const auto& request = call.input.watch_snapshots().request();
    streams_->Open(stream, {false, request.worker_id(), request.session_id()}, call.watch);
  }
  return stream;
}

// What the daemon adds to a call before it is decided.
void Controller::DrawIds(Input& input) {
  if (input.has_accept_clock()) {
    const std::int64_t wall = clock_.WallMicros(world_.time.now());
    input.mutable_accept_clock()->set_move_micros(wall - ToMicros(Now()));
  }
  if (input.has_register_worker()) input.mutable_register_worker()->set_session_id(RandomId());
  if (input.has_register_checker()) input.mutable_register_checker()->set_session_id(RandomId());
  if (input.has_extract()) input.mutable_extract()->set_extraction_id(RandomId());
}

void Controller::Arrive(IncomingCall call) {
  if (!serving_) {
    if (call.watch) world_.time.After(kMillisecond, [ends = call.watch] { ends->on_end(Unavailable()); });
    if (call.respond) call.respond({Unavailable(), {}});
    return;
  }
  const StreamId stream = call.watch ? OpenStream(call) : StreamId();
  DrawIds(call.input);
  std::optional<Rejection> refusal = Refuse(call);
  if (!refusal) refusal = RefuseShed(call.input);
  if (refusal)
    world_.checkers.reached().Count(
        "rejection", controlplane::v1::RejectReason_Name(static_cast<controlplane::v1::RejectReason>(refusal->reason)));
  auto sink = std::make_unique<Sink>(*this, call, stream);
  if (refusal) {
    sink->unlogged = true;
    sink->Deliver(*refusal);
    return;
  }
  Sink& kept = *sink;
  queue_.push_back(MakeCommand(call.input, call.principal, call.peer, std::move(sink)));
  kept.set_logged(queue_.back().input);
  Wake();
}

void Controller::SubmitOwn(const Input& input) {
  // What the store says is answered with what a client may be waiting for.
  const bool of_store = input.input_case() >= Input::kPoolStoreSeen;
  auto sink = of_store ? std::make_unique<Sink>(*this, IncomingCall{}, StreamId()) : nullptr;
  Sink* kept = sink.get();
  queue_.push_back(MakeCommand(input, kControllerPrincipal, "", std::move(sink)));
  if (kept != nullptr) kept->set_logged(queue_.back().input);
  Wake();
}

// Rejections that are summed up instead of logged.
void Controller::AnswerUnlogged() {
  for (auto& [sink, reply] : sequencer_->TakeUnlogged()) {
    static_cast<Sink*>(sink.get())->unlogged = true;
    sink->Deliver(std::move(reply));
  }
}

void Controller::Answer(Sink& sink, Reply reply) {
  if (!sink.unlogged) world_.checkers.durability().Answered(sink.input_bytes());
  const auto* rejection = std::get_if<Rejection>(&reply);
  if (sink.call().watch) {
    if (!streams_) return;
    return rejection ? streams_->Reject(sink.stream(), *rejection) : streams_->Accept(sink.stream());
  }
  if (const auto* asked = std::get_if<ExtractionAsked>(&reply)) return waiting_.Wait(asked->extraction_id, sink.call());
  if (const auto* settled = std::get_if<ExtractionSettled>(&reply)) return waiting_.Settle(*settled);
  if (!sink.call().respond) return;
  const auto* extracted = std::get_if<distribution::v1::ExtractResponse>(&reply);
  if (extracted != nullptr) world_.checkers.extractions().Told(sink.call().input.extract().request(), *extracted);
  const CallEnd end = rejection ? EndOf(*rejection) : CallEnd{};
  sink.call().respond({end, std::move(reply)});
}

}  // namespace holdfast::simulation
