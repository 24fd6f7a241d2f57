#include "tools/checker/checker_program.h"

#include <signal.h>

#include <utility>

#include "client/grpc_checker_transport.h"
#include "tools/cli/version.h"

namespace holdfast::checker {
namespace {

constexpr long kLookEveryNanos = 200'000'000;

client::CheckerSettings SettingsFrom(const CheckerOptions& options, bool resolves_secrets) {
  client::CheckerSettings settings;
  settings.checker_id = options.checker_id;
  settings.zone = options.zone;
  settings.labels = options.labels;
  settings.max_concurrency = options.max_concurrency;
  settings.levels = options.levels;
  settings.resolves_secret_refs = resolves_secrets;
  settings.software_version = std::string("holdfast-checker/") + cli::kVersion;
  return settings;
}

}  // namespace

CheckerProgram::CheckerProgram(const CheckerOptions& options, SecretBook secrets, const CheckerEnvironment& environment)
    : options_(options),
      environment_(environment),
      resolves_secrets_(secrets.HasAny()),
      loop_(std::make_shared<client::EventLoop>([this] { return Now(); })),
      // Nothing is told before a task was given, and none is before the client is there.
      engine_(
          options.checks, std::move(secrets), environment.random, environment.wall_clock, [this] { return Now(); },
          [this](controlplane::v1::HealthObservation observation) { client_->Report(std::move(observation)); }) {}

CheckerProgram::~CheckerProgram() {
  engine_.Stop();
  loop_->RunAndWait([this] { client_.reset(); });
  loop_->Stop();
}

ExitCode CheckerProgram::Run() {
  loop_->RunAndWait([this] { Start(); });
  summarised_at_ = Now();
  while (!finished_) {
    if (StopAsked()) Leave();
    if (!finished_) SummariseNowAndThen();
  }
  return Conclude();
}

void CheckerProgram::Start() {
  auto channel = client::MakeInsecureChannel(options_.server_target);
  auto transport = std::make_unique<client::GrpcCheckerTransport>(loop_, [channel] { return channel; });
  client::CheckHandler& handler = *this;
  client::CheckerObserver& observer = *this;
  client_ = std::make_unique<client::CheckerClient>(SettingsFrom(options_, resolves_secrets_), loop_,
                                                    std::move(transport), handler, observer, environment_.random);
  client_->Start();
}

bool CheckerProgram::StopAsked() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  const timespec wait = {.tv_sec = 0, .tv_nsec = kLookEveryNanos};
  return sigtimedwait(&signals, nullptr, &wait) > 0;
}

void CheckerProgram::Leave() {
  const bool at_once = std::exchange(leaving_, true);
  loop_->Post([this, at_once] { at_once ? client_->Stop() : client_->Drain(options_.drain_bound); });
}

void CheckerProgram::SummariseNowAndThen() {
  if (options_.summary_interval == Duration::zero() || Now() - summarised_at_ < options_.summary_interval) return;
  summarised_at_ = Now();
  environment_.lines.Summary(engine_.counts());
}

ExitCode CheckerProgram::Conclude() {
  environment_.lines.Summary(engine_.counts());
  const std::lock_guard lock(mutex_);
  environment_.lines.Finished(*end_, why_);
  if (*end_ == session::SessionEnd::kRefusedForGood) return ExitCode::kRefused;
  if (*end_ == session::SessionEnd::kDrainTimedOut) return ExitCode::kDeadline;
  return registered_ ? ExitCode::kDone : ExitCode::kUnreachable;
}

// ---- what the client tells, on the loop's thread
// -----------------------------------------------------------------------

void CheckerProgram::OnCall(const client::CallRecord& record) {
  if (record.name == client::CallName::kRegister && !record.result.ok()) {
    environment_.lines.RegisterFailed(options_.server, client::WordsOf(record.result));
  }
}

void CheckerProgram::OnRegistered(const controlplane::v1::RegisterCheckerRequest& request,
                                  const controlplane::v1::RegisterCheckerResponse& response) {
  registered_ = true;
  environment_.lines.Registered(request.checker_id(), response.session_id(), options_.server);
}

void CheckerProgram::OnFinished(session::SessionEnd end, const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    end_ = end;
    why_ = why;
  }
  finished_ = true;
}

}  // namespace holdfast::checker
