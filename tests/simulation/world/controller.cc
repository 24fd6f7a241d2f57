#include "tests/simulation/world/controller.h"

#include <algorithm>
#include <array>
#include <utility>

#include "controller/rules_version.h"
#include "controller/validate.h"
#include "events/field_codec.h"
#include "tests/simulation/world/settings_draw.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

constexpr std::int64_t kMostDrift = 300;  // parts per million
constexpr std::size_t kSmallBlock = 12;   // entries

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

Controller::Controller(World& world, Network& network)
    : world_(world),
      network_(network),
      clock_(world.Between(-kMostDrift, kMostDrift)),
      disk_(world),
      committed_(world),
      settings_(DrawSettings(world.random)) {}

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

// ---- a process begins and ends -------------------------------------------------------------------------------------

log::v1::Input Controller::StartInput(const RecoveredLog& recovered) {
  Input input;
  log::v1::StartController* start = input.mutable_start_controller();
  start->set_boot_id(clock_.boot_id());
  start->set_boot_micros(boot_micros_);
  start->set_same_boot(recovered.log_id.has_value() && recovered.boot_id == clock_.boot_id());
  LogId id{};
  for (std::uint8_t& byte : id) byte = static_cast<std::uint8_t>(world_.random.Below(256));
  if (recovered.log_id) id = *recovered.log_id;
  start->set_log_id(id.data(), id.size());
  start->set_bootstrap(world_.random.Chance(3, 4));
  start->set_rules_version(kRulesVersion);
  start->set_software_version("simulated");
  std::string settings;
  wire::PutStruct(settings, settings_);
  start->mutable_settings()->ParseFromString(settings);
  return input;
}

void Controller::Restart(bool other_boot) {
  if (other_boot) clock_.Boot(world_.time.now());  // its wall clock may lie
  auto state = std::make_unique<ControllerState>();
  absl::StatusOr<RecoveredLog> recovered = holdfast::Recover(disk_.log(), {state.get()}, nullptr);
  if (!recovered.ok()) return world_.checkers.violations().Add("recovery", recovered.status().ToString());
  committed_.Reopen();
  committed_.ReadOn(disk_.log());
  world_.checkers.durability().Recovered();
  if (state->StateDigest() != committed_.state().StateDigest()) {
    return world_.checkers.violations().Add("recovery", "the recovered state is not the one that was committed");
  }
  std::optional<LogClockAnchor> anchor;
  if (recovered->log_id) anchor = LogClockAnchor{recovered->last_at, recovered->boot_id, recovered->boot_micros};
  const Duration told = state->run().clock_offset();
  boot_micros_ = clock_.BootMicros(world_.time.now());
  log_clock_ = std::make_unique<LogClock>(anchor, clock_.boot_id(),
                                          ClockReading{boot_micros_, clock_.WallMicros(world_.time.now())},
                                          told == Duration(0) ? std::nullopt : std::optional<Duration>(-told));
  const Input start = StartInput(*recovered);
  LogId id{};
  std::copy(start.start_controller().log_id().begin(), start.start_controller().log_id().end(), id.begin());
  Sequencer::Options options;
  if (world_.random.Chance(1, 3)) options.block_entries = kSmallBlock;
  sequencer_ = std::make_unique<Sequencer>(std::move(state), recovered->tip, id, clock_.boot_id(), options);
  sequencer_->Offer(MakeCommand(start, kControllerPrincipal, "", nullptr));
  sequencer_->Step(ReadClock());
  const SealedBlock block = sequencer_->TakeBlock(boot_micros_);
  disk_.Begin(block);
  if (!disk_.Finish().ok()) return Crash();
  sequencer_->OnDurable(block.encoded.last);
  committed_.ReadOn(disk_.log());
  ++starts_;
  next_stream_ = (sequencer_->state().run().controller_epoch() << 32) + 1;
  streams_ = std::make_unique<ServerStreams>(
      world_, network_,
      ServerStreams::Outlet{[this] { return Now(); }, [this](const Input& input) { SubmitOwn(input); }});
  serving_ = true;
  Wake();
}

void Controller::Crash() {
  ++generation_;
  serving_ = false;
  if (streams_) streams_->Drop();
  streams_.reset();
  sequencer_.reset();
  log_clock_.reset();
  queue_.clear();
  committing_ = false;
  next_step_ = 0;
  wake_by_.reset();
  longest_sync_ = 0;
  paused_until_ = 0;
  shed_until_ = 0;
  shed_sessions_.clear();
  shed_note_due_ = false;
  disk_.Crash();
  const bool other_boot = world_.faults.Strikes(Fault::kOtherBoot);
  if (world_.faults.Strikes(Fault::kSettingsChanged)) settings_ = OtherSettings(world_.random, settings_);
  const bool long_gone = !world_.faults.quiet() && world_.random.Chance(1, 5);
  const Micros down =
      long_gone ? world_.Between(5 * kSecond, 90 * kSecond) : world_.Between(100 * kMillisecond, 4 * kSecond);
  world_.time.After(down, [this, other_boot, generation = generation_] {
    if (generation == generation_) Restart(other_boot);
  });
}

void Controller::Recover() {
  paused_until_ = std::min(paused_until_, world_.time.now());
  shed_until_ = 0;
  clock_.SetWall(0);
  if (serving_) Wake();
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

void Controller::Arrive(IncomingCall call) {
  if (!serving_) {
    if (call.watch) world_.time.After(kMillisecond, [ends = call.watch] { ends->on_end(Unavailable()); });
    if (call.respond) call.respond({Unavailable(), {}});
    return;
  }
  const StreamId stream = call.watch ? OpenStream(call) : StreamId();
  if (call.input.has_accept_clock()) {
    const std::int64_t wall = clock_.WallMicros(world_.time.now());
    call.input.mutable_accept_clock()->set_move_micros(wall - ToMicros(Now()));
  }
  if (call.input.has_register_worker()) call.input.mutable_register_worker()->set_session_id(RandomId());
  if (call.input.has_register_checker()) call.input.mutable_register_checker()->set_session_id(RandomId());
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
  queue_.push_back(MakeCommand(input, kControllerPrincipal, "", nullptr));
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
  if (!sink.call().respond) return;
  const CallEnd end = rejection ? EndOf(*rejection) : CallEnd{};
  sink.call().respond({end, std::move(reply)});
}

}  // namespace holdfast::simulation
