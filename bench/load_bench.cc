// Durable calls over loopback gRPC beside a bare echo server: ReportRuntime calls/s as a share of an echo of the same
// messages with the same client, and outcomes/s in batches of 1,000. Ratios of interleaved pairs, in one run.
//
// usage: load_bench [--daemon PATH] [--pairs N] [--seconds S] [--workers N] [--channels N] [--counters N] [--directory
// DIR]
//        load_bench --echo-server FILE      (started by itself: the echo, writing its address into FILE)

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "bench/child.h"
#include "controlplane/v1/controlplane.grpc.pb.h"
#include "holdfast/admin/v1/admin.grpc.pb.h"

namespace holdfast::bench {
namespace {

namespace wire = controlplane::v1;
using Clock = std::chrono::steady_clock;
using Stub = wire::WorkerControlPlane::Stub;

struct Options {
  std::string self;
  std::string daemon = HOLDFAST_DAEMON;  // --daemon
  std::string directory = "/tmp";
  int pairs = 5;
  double seconds = 4;
  int workers = 256;
  int channels = 4;
  int counters = 4;
};

// ---- the echo: the same service, answering without doing anything --------------------------------------------------

class Echo final : public wire::WorkerControlPlane::CallbackService {
 public:
  grpc::ServerUnaryReactor* ReportRuntime(grpc::CallbackServerContext* context,
                                          const wire::ReportRuntimeRequest* request,
                                          wire::ReportRuntimeResponse* response) override {
    response->set_accepted_sequence(request->report_sequence());
    response->set_session_state(wire::SESSION_STATE_ACTIVE);
    response->mutable_server_time()->set_seconds(1'790'000'000);
    response->mutable_server_time()->set_nanos(123'456'000);
    auto* reactor = context->DefaultReactor();
    reactor->Finish(grpc::Status::OK);
    return reactor;
  }
};

int ServeEcho(const std::string& file) {
  Echo service;
  int port = 0;
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server) Fail("the echo server cannot listen");
  std::ofstream(file + ".new") << "127.0.0.1:" << port;
  std::filesystem::rename(file + ".new", file);
  server->Wait();
  return 0;
}

// ---- workers with one call in flight each --------------------------------------------------------------------------

struct Member {
  Stub* stub = nullptr;
  std::string worker_id, session_id;
  std::uint64_t epoch = 0, version = 0, sequence = 0;
  std::vector<std::string> proxies;
  std::unique_ptr<grpc::ClientContext> watching;
  std::unique_ptr<grpc::ClientReader<wire::SnapshotUpdate>> stream;
  std::unique_ptr<grpc::ClientContext> context;
  wire::ReportRuntimeRequest report;
  wire::ReportRuntimeResponse reported;
  wire::ReportOutcomesRequest outcomes;
  wire::ReportOutcomesResponse counted;
};

void MustBeOk(const grpc::Status& status, const char* what) {
  if (!status.ok()) Fail(std::string(what) + ": " + status.error_message());
}

void Join(Member& member) {
  grpc::ClientContext context;
  wire::RegisterWorkerRequest request;
  request.set_worker_id(member.worker_id);
  request.set_instance_id(member.worker_id + "-1");
  request.set_supported_protocol_version(1);
  request.add_capabilities(wire::WORKER_CAPABILITY_DELTA);
  wire::RegisterWorkerResponse response;
  MustBeOk(member.stub->RegisterWorker(&context, request, &response), "RegisterWorker");
  member.session_id = response.session_id();
  member.epoch = response.ownership_epoch();
  member.watching = std::make_unique<grpc::ClientContext>();
  wire::WatchSnapshotsRequest watch;
  watch.set_worker_id(member.worker_id);
  watch.set_session_id(member.session_id);
  watch.set_ownership_epoch(member.epoch);
  member.stream = member.stub->WatchSnapshots(member.watching.get(), watch);
}

// Takes and acknowledges updates until there are enough proxies to report of.
void TakeUpdates(Member& member, std::size_t proxies) {
  do {
    wire::SnapshotUpdate update;
    if (!member.stream->Read(&update)) Fail("the watch stream ended");
    const auto& grants = update.has_full() ? update.full().proxies() : update.delta().upserted();
    for (const wire::ProxyGrant& grant : grants) member.proxies.push_back(grant.proxy_id());
    member.version = update.has_full() ? update.full().version() : update.delta().version();
    grpc::ClientContext context;
    wire::AcknowledgeSnapshotRequest ack;
    ack.set_worker_id(member.worker_id);
    ack.set_session_id(member.session_id);
    ack.set_version(member.version);
    ack.set_ownership_epoch(member.epoch);
    ack.set_checksum(update.has_full() ? update.full().checksum() : update.delta().checksum());
    ack.set_accepted(true);
    wire::AcknowledgeSnapshotResponse answer;
    MustBeOk(member.stub->AcknowledgeSnapshot(&context, ack, &answer), "AcknowledgeSnapshot");
  } while (member.proxies.size() < proxies);
}

void Import(const std::string& address, int count) {
  const auto stub = admin::v1::PoolAdmin::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  const auto stream = stub->ImportProxies(&context);
  admin::v1::ImportProxiesRequest request;
  for (int i = 0; i < count; ++i) {
    auto* endpoint = request.add_proxies()->mutable_endpoint();
    endpoint->set_scheme(wire::PROXY_SCHEME_SOCKS5);
    endpoint->set_host("198.18." + std::to_string(i / 250) + "." + std::to_string(i % 250 + 1));
    endpoint->set_port(1080);
  }
  stream->Write(request);
  admin::v1::ImportProxiesResponse response;
  stream->Read(&response);
  stream->WritesDone();
  MustBeOk(stream->Finish(), "ImportProxies");
}

class Load {
 public:
  Load(const std::string& address, const Options& options) : options_(options) {
    for (int i = 0; i < options.channels; ++i) {
      grpc::ChannelArguments arguments;
      arguments.SetInt("load_bench.channel", i);  // a connection of its own each
      stubs_.push_back(wire::WorkerControlPlane::NewStub(
          grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments)));
    }
    for (int i = 0; i < options.workers; ++i) {
      Member& member = *members_.emplace_back(std::make_unique<Member>());
      member.stub = stubs_[static_cast<std::size_t>(i) % stubs_.size()].get();
      member.worker_id = "load-" + std::to_string(i);
    }
  }
  ~Load() {
    for (const auto& member : members_) {
      if (member->watching) member->watching->TryCancel();
    }
  }

  // All are active before the pool comes, so that it is spread over all of them.
  void JoinAll(const std::string& address) {
    for (const auto& member : members_) {
      Join(*member);
      TakeUpdates(*member, 0);
    }
    Import(address, options_.workers * options_.counters * 2);
    for (const auto& member : members_) TakeUpdates(*member, static_cast<std::size_t>(options_.counters));
  }
  void MakeUp() {
    for (const auto& member : members_) {
      member->session_id = std::string(32, 'a');
      member->epoch = member->version = 1'877'000'000'000'001;
      for (int i = 0; i < options_.counters; ++i) {
        member->proxies.push_back("socks5://198.18." + std::to_string(i) + ".17:10800");
      }
    }
  }

  // Calls a second, each worker with one call in flight.
  double Reports() {
    return Run([&](Member& member, const std::function<void(grpc::Status)>& done) {
      wire::ReportRuntimeRequest& request = member.report;
      request.set_worker_id(member.worker_id);
      request.set_session_id(member.session_id);
      request.set_ownership_epoch(member.epoch);
      request.set_snapshot_version(member.version);
      request.set_report_sequence(++member.sequence);
      request.clear_counters();
      for (int i = 0; i < options_.counters; ++i) {
        wire::ProxyRuntime* counter = request.add_counters();
        counter->set_proxy_id(member.proxies[static_cast<std::size_t>(i)]);
        counter->set_active(1 + static_cast<std::uint32_t>((member.sequence + static_cast<std::uint64_t>(i)) % 5));
      }
      member.stub->async()->ReportRuntime(member.context.get(), &request, &member.reported, done);
    });
  }

  double OutcomeBatches(int batch) {
    for (const auto& member : members_) {
      for (int i = 0; i < batch; ++i) {
        wire::Outcome* outcome = member->outcomes.add_outcomes();
        outcome->set_proxy_id(member->proxies[static_cast<std::size_t>(i) % member->proxies.size()]);
        outcome->set_phase(wire::OUTCOME_PHASE_RESPONSE_HEADERS);
        outcome->set_error(wire::OUTCOME_ERROR_NONE);
        outcome->set_http_status(200);
        outcome->mutable_latency()->set_nanos(1'000'000 * (i % 400 + 1));
      }
    }
    return Run([&](Member& member, const std::function<void(grpc::Status)>& done) {
      member.outcomes.set_worker_id(member.worker_id);
      member.outcomes.set_session_id(member.session_id);
      member.outcomes.set_ownership_epoch(member.epoch);
      member.outcomes.set_sequence(++member.sequence);
      member.stub->async()->ReportOutcomes(member.context.get(), &member.outcomes, &member.counted, done);
    });
  }

 private:
  using Call = std::function<void(Member&, const std::function<void(grpc::Status)>&)>;

  double Run(const Call& call) {
    running_ = static_cast<int>(members_.size());
    calls_ = 0;
    const auto start = Clock::now();
    end_ = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    for (const auto& member : members_) Next(*member, call);
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [&] { return running_ == 0; });
    return static_cast<double>(calls_.load()) / std::chrono::duration<double>(Clock::now() - start).count();
  }

  void Next(Member& member, const Call& call) {
    member.context = std::make_unique<grpc::ClientContext>();
    call(member, [this, &member, &call](const grpc::Status& status) {
      MustBeOk(status, "a call");
      ++calls_;
      if (Clock::now() < end_) return Next(member, call);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--running_ == 0) idle_.notify_one();
    });
  }

  const Options& options_;
  std::vector<std::unique_ptr<Stub>> stubs_;
  std::vector<std::unique_ptr<Member>> members_;
  std::atomic<std::uint64_t> calls_{0};
  Clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
};

Child StartDaemon(const Options& options) {
  const std::string data = options.directory + "/holdfast-load-bench";
  std::filesystem::remove_all(data);
  return Child({options.daemon, "--data-dir",
                data,           "--listen",
                "127.0.0.1:0",  "--port-file",
                data + ".port", "--bootstrap",
                "--set",        "health.trust_unchecked=true",
                "--set",        "control_plane.snapshot_validity=20h",
                "--set",        "control_plane.renewal_interval=10h",
                "--set",        "control_plane.session_ttl=1h",
                "--set",        "control_plane.runtime_ttl=1h",
                "--set",        "control_plane.recovery_hold_off=1h"},
               data + ".port");
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void CompareReports(const Options& options) {
  std::printf(
      "ReportRuntime, %d workers with one call in flight each, %d channels, %d counters, %d interleaved pairs of %.1f "
      "s\n\n",
      options.workers, options.channels, options.counters, options.pairs, options.seconds);
  std::printf("%4s %16s %16s %8s\n", "pair", "durable calls/s", "echo calls/s", "ratio");
  std::vector<double> ratios;
  for (int pair = 0; pair < options.pairs; ++pair) {
    double durable = 0, echo = 0;
    {
      const Child daemon = StartDaemon(options);
      Load load(daemon.address(), options);
      load.JoinAll(daemon.address());
      durable = load.Reports();
    }
    {
      const std::string file = options.directory + "/holdfast-load-bench-echo.port";
      const Child server({options.self, "--echo-server", file}, file);
      Load load(server.address(), options);
      load.MakeUp();
      echo = load.Reports();
    }
    ratios.push_back(durable / echo);
    std::printf("%4d %16.0f %16.0f %8.2f\n", pair + 1, durable, echo, ratios.back());
    std::fflush(stdout);
  }
  std::printf("\nshare of a bare echo: median %.2f, range %.2f to %.2f (aim: at least 0.8)\n\n", Median(ratios),
              *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
}

void MeasureOutcomes(Options options) {
  constexpr int kBatch = 1000;
  options.workers = 16;
  const Child daemon = StartDaemon(options);
  Load load(daemon.address(), options);
  load.JoinAll(daemon.address());
  const double batches = load.OutcomeBatches(kBatch);
  std::printf("outcomes in batches of %d, %d workers: %.0f durable outcomes/s (aim: at least 500,000)\n", kBatch,
              options.workers, batches * kBatch);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Options options;
  options.self = argv[0];
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i];
    const std::string value = argv[i + 1];
    if (name == "--echo-server") return holdfast::bench::ServeEcho(value);
    if (name == "--daemon") options.daemon = value;
    if (name == "--directory") options.directory = value;
    if (name == "--pairs") options.pairs = std::stoi(value);
    if (name == "--seconds") options.seconds = std::stod(value);
    if (name == "--workers") options.workers = std::stoi(value);
    if (name == "--channels") options.channels = std::stoi(value);
    if (name == "--counters") options.counters = std::stoi(value);
  }
  // A connection carries 256 streams (control_plane.max_streams), and a worker that watches calls as well.
  options.channels = std::max(options.channels, (options.workers + 127) / 128);
  if (options.daemon.empty()) holdfast::bench::Fail("--daemon PATH names the holdfastd to measure");
  holdfast::bench::CompareReports(options);
  holdfast::bench::MeasureOutcomes(options);
  return 0;
}
