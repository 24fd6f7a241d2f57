// Observations a second that a real daemon takes over loopback gRPC, each durable before it is acknowledged: checkers
// that answer every task at once, and a pool whose checks are due as often as the daemon can schedule them.
//
// usage: observe_bench [--daemon PATH] [--seconds S] [--proxies N] [--checkers N] [--directory DIR]

#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "bench/child.h"
#include "controlplane/v1/controlplane.grpc.pb.h"
#include "holdfast/admin/v1/admin.grpc.pb.h"

namespace holdfast::bench {
namespace {

namespace wire = controlplane::v1;
using Clock = std::chrono::steady_clock;

struct Options {
  std::string daemon = HOLDFAST_DAEMON;
  std::string directory = "/tmp";
  double seconds = 8;
  int proxies = 100'000;
  int checkers = 4;
};

void MustBeOk(const grpc::Status& status, const char* what) {
  if (!status.ok()) Fail(std::string(what) + ": " + status.error_message());
}

void Import(const std::string& address, int count) {
  constexpr int kBatch = 2'000;
  const auto stub = admin::v1::PoolAdmin::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->ImportProxies(&context);
  for (int first = 0; first < count; first += kBatch) {
    admin::v1::ImportProxiesRequest request;
    for (int i = first; i < std::min(first + kBatch, count); ++i) {
      auto* endpoint = request.add_proxies()->mutable_endpoint();
      endpoint->set_scheme(wire::PROXY_SCHEME_SOCKS5);
      endpoint->set_host("198.18." + std::to_string(i / 250 % 250) + "." + std::to_string(i % 250 + 1));
      endpoint->set_port(static_cast<std::uint32_t>(1080 + i / 62'500));
    }
    stream->Write(request);
    admin::v1::ImportProxiesResponse response;
    if (!stream->Read(&response)) break;
  }
  stream->WritesDone();
  MustBeOk(stream->Finish(), "ImportProxies");
}

// Reads its tasks on one thread and reports what it found on another, a batch as long as the last one is under way.
class Checker {
 public:
  Checker(const std::string& address, int number) : id_("bench-" + std::to_string(number)) {
    grpc::ChannelArguments arguments;
    arguments.SetInt("observe_bench.channel", number);  // a connection of its own each
    stub_ = wire::CheckerControlPlane::NewStub(
        grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments));
    grpc::ClientContext context;
    wire::RegisterCheckerRequest request;
    request.set_checker_id(id_);
    request.set_instance_id(id_ + "-1");
    request.set_supported_protocol_version(1);
    request.set_max_concurrency(20'000);
    request.add_levels(wire::CHECK_LEVEL_BASIC);
    wire::RegisterCheckerResponse response;
    MustBeOk(stub_->RegisterChecker(&context, request, &response), "RegisterChecker");
    session_ = response.session_id();
    reader_ = std::thread([this] { ReadTasks(); });
    reporter_ = std::thread([this] { ReportAll(); });
  }
  ~Checker() {
    watching_.TryCancel();
    reader_.join();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      over_ = true;
    }
    some_.notify_one();
    reporter_.join();
  }

  std::uint64_t accepted() const { return accepted_; }

 private:
  static constexpr int kBatch = 5'000;

  void ReadTasks() {
    wire::WatchTasksRequest request;
    request.set_checker_id(id_);
    request.set_session_id(session_);
    const auto stream = stub_->WatchTasks(&watching_, request);
    wire::TaskUpdate update;
    while (stream->Read(&update)) {
      if (!update.has_task()) continue;
      const std::lock_guard<std::mutex> lock(mutex_);
      wire::HealthObservation* seen = &next_.emplace_back();
      seen->set_task_id(update.task().task_id());
      seen->set_proxy_id(update.task().proxy_id());
      seen->set_level(update.task().level());
      seen->set_verdict(wire::VERDICT_PASS);
      seen->set_phase(wire::OUTCOME_PHASE_PROXY_HANDSHAKE);
      seen->set_error(wire::OUTCOME_ERROR_NONE);
      seen->mutable_latency()->set_nanos(12'345'000);
      some_.notify_one();
    }
    stream->Finish();
  }

  void ReportAll() {
    for (std::uint64_t sequence = 1;; ++sequence) {
      wire::ReportObservationsRequest request;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        some_.wait(lock, [this] { return over_ || !next_.empty(); });
        if (over_) return;
        for (int i = 0; i < kBatch && !next_.empty(); ++i, next_.pop_front()) {
          *request.add_observations() = std::move(next_.front());
        }
      }
      request.set_checker_id(id_);
      request.set_session_id(session_);
      request.set_sequence(sequence);
      grpc::ClientContext context;
      wire::ReportObservationsResponse response;
      MustBeOk(stub_->ReportObservations(&context, request, &response), "ReportObservations");
      accepted_ += static_cast<std::uint64_t>(request.observations_size() - response.unknown_task_ids_size());
    }
  }

  const std::string id_;
  std::string session_;
  std::unique_ptr<wire::CheckerControlPlane::Stub> stub_;
  grpc::ClientContext watching_;
  std::mutex mutex_;
  std::condition_variable some_;
  std::deque<wire::HealthObservation> next_;  // guarded
  bool over_ = false;                         // guarded
  std::atomic<std::uint64_t> accepted_{0};
  std::thread reader_, reporter_;
};

void Measure(const Options& options) {
  const std::string data = options.directory + "/holdfast-observe-bench";
  std::filesystem::remove_all(data);
  const Child daemon({options.daemon, "--data-dir", data, "--listen", "127.0.0.1:0", "--port-file", data + ".port",
                      "--bootstrap", "--set", "health.basic.interval=50ms", "--set", "health.suspect_interval=50ms",
                      "--set", "control_plane.session_ttl=1h", "--set", "control_plane.runtime_ttl=1h"},
                     data + ".port");
  Import(daemon.address(), options.proxies);
  std::vector<std::unique_ptr<Checker>> checkers;
  for (int i = 0; i < options.checkers; ++i) checkers.push_back(std::make_unique<Checker>(daemon.address(), i));
  const auto accepted = [&] {
    std::uint64_t sum = 0;
    for (const auto& checker : checkers) sum += checker->accepted();
    return sum;
  };
  std::this_thread::sleep_for(std::chrono::seconds(2));  // all streams are there
  const auto begin = Clock::now();
  const std::uint64_t before = accepted();
  std::this_thread::sleep_for(std::chrono::duration<double>(options.seconds));
  const double passed = std::chrono::duration<double>(Clock::now() - begin).count();
  const auto count = static_cast<double>(accepted() - before);
  std::printf("%d proxies, %d checkers: %.0f checks/s scheduled, given, answered and durable\n", options.proxies,
              options.checkers, count / passed);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Options options;
  CLI::App app("Observations a second that a real daemon takes, each durable.");
  app.add_option("--daemon", options.daemon, "the holdfastd to measure")->capture_default_str();
  app.add_option("--directory", options.directory, "where its data goes")->capture_default_str();
  app.add_option("--seconds", options.seconds)->check(CLI::Range(0.5, 600.0))->capture_default_str();
  app.add_option("--proxies", options.proxies)->check(CLI::Range(1'000, 600'000))->capture_default_str();
  app.add_option("--checkers", options.checkers)->check(CLI::Range(1, 64))->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  holdfast::bench::Measure(options);
}
