// Extractions through the real daemon: durable in its log and in the pool store, each followed by its release, beside a
// bare script that does just the move and the move back on the same Redis, with appendfsync always. Clients with one
// call in flight each; ratios, in one run. Then how long what is imported takes to reach the store while workers
// report as fast as they can.
//
// usage: extract_bench [--daemon PATH] [--clients N] [--seconds S] [--pairs N] [--directory DIR]

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/child.h"
#include "holdfast/admin/v1/admin.grpc.pb.h"
#include "holdfast/audit/v1/audit.grpc.pb.h"
#include "holdfast/distribution/v1/distribution.grpc.pb.h"
#include "tests/pool/redis_server.h"

namespace holdfast::bench {
namespace {

namespace wire = distribution::v1;
using Clock = std::chrono::steady_clock;
using pool::Deadline;
using pool::RedisCommand;
using pool::RedisConnection;
using pool::testing::RedisServer;

struct Options {
  std::string daemon = HOLDFAST_DAEMON;
  std::string directory = "/tmp";
  int clients = 64;
  int channels = 4;
  double seconds = 4;
  int pairs = 3;
};

constexpr char kMove[] = R"lua(
local moved = 0
for i = 2, #KEYS do
  if redis.call('ZREM', KEYS[1], ARGV[i - 1]) == 1 then
    redis.call('HSET', KEYS[i], 'state', 'extracted')
    moved = moved + 1
  end
end
return moved)lua";
constexpr char kMoveBack[] = R"lua(
for i = 2, #KEYS do
  redis.call('ZADD', KEYS[1], 1, ARGV[i - 1])
  redis.call('HSET', KEYS[i], 'state', 'unowned')
end
return #KEYS - 1)lua";

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void MustBeOk(const grpc::Status& status, const char* what) {
  if (!status.ok()) Fail(std::string(what) + ": " + status.error_message());
}

// ---- the daemon and its clients
// ---------------------------------------------------------------------------------------

Child StartDaemon(const Options& options, const RedisServer* redis) {
  const std::string data = options.directory + "/holdfast-extract-bench";
  std::filesystem::remove_all(data);
  std::vector<std::string> words = {
      options.daemon, "--data-dir",   data,          "--listen", "127.0.0.1:0",
      "--port-file",  data + ".port", "--bootstrap", "--set",    "health.trust_unchecked=true"};
  if (redis != nullptr) {
    for (const std::string& setting :
         {std::string("pool.store=redis"), "pool.redis.addresses=" + ToText(redis->address())}) {
      words.push_back("--set");
      words.push_back(setting);
    }
  }
  return Child(std::move(words), data + ".port");
}

class Operator {
 public:
  explicit Operator(const std::string& address)
      : channel_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())),
        pool_(admin::v1::PoolAdmin::NewStub(channel_)),
        audit_(audit::v1::Audit::NewStub(channel_)) {}

  // The sequence of the last batch.
  std::uint64_t Import(int first, int count) {
    grpc::ClientContext context;
    const auto stream = pool_->ImportProxies(&context);
    admin::v1::ImportProxiesResponse response;
    for (int done = 0; done < count;) {
      admin::v1::ImportProxiesRequest request;
      for (; done < count && request.proxies_size() < 5'000; ++done) {
        auto* endpoint = request.add_proxies()->mutable_endpoint();
        endpoint->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
        endpoint->set_host("198." + std::to_string(18 + (first + done) / 62'500) + "." +
                           std::to_string((first + done) / 250 % 250) + "." + std::to_string((first + done) % 250 + 1));
        endpoint->set_port(1080);
      }
      if (!stream->Write(request) || !stream->Read(&response)) break;
    }
    stream->WritesDone();
    MustBeOk(stream->Finish(), "ImportProxies");
    return response.log_sequence();
  }

  audit::v1::GetStatusResponse Status() {
    grpc::ClientContext context;
    audit::v1::GetStatusResponse status;
    MustBeOk(audit_->GetStatus(&context, {}, &status), "GetStatus");
    return status;
  }

  // Seconds until the store shows what the log says at `sequence`.
  double WaitUntilApplied(std::uint64_t sequence) {
    const auto begin = Clock::now();
    while (true) {
      const auto status = Status();
      if (status.pool_condition() == "ready" && status.pool_applied_sequence() >= sequence) break;
      if (Clock::now() - begin > std::chrono::seconds(60)) Fail("the store does not follow: " + status.pool_trouble());
    }
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

 private:
  const std::shared_ptr<grpc::Channel> channel_;
  const std::unique_ptr<admin::v1::PoolAdmin::Stub> pool_;
  const std::unique_ptr<audit::v1::Audit::Stub> audit_;
};

// Each client extracts and gives back, again and again.
class Clients {
 public:
  Clients(const std::string& address, const Options& options, int machines) : options_(options), machines_(machines) {
    for (int i = 0; i < options.channels; ++i) {
      grpc::ChannelArguments arguments;
      arguments.SetInt("extract_bench.channel", i);  // a connection of its own each
      stubs_.push_back(wire::Distribution::NewStub(
          grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments)));
    }
    for (int i = 0; i < options.clients; ++i) {
      Client& client = *clients_.emplace_back(std::make_unique<Client>());
      client.stub = stubs_[static_cast<std::size_t>(i) % stubs_.size()].get();
      client.id = "client-" + std::to_string(i);
    }
  }

  struct Rates {
    double extractions = 0;  // a second
    double p50_ms = 0, p99_ms = 0;
    std::uint64_t refused = 0;
  };
  Rates Run() {
    running_ = static_cast<int>(clients_.size());
    const auto start = Clock::now();
    end_ = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options_.seconds));
    for (const auto& client : clients_) Extract(*client);
    std::unique_lock<std::mutex> lock(mutex_);
    idle_.wait(lock, [&] { return running_ == 0; });
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    std::vector<double> waits;
    for (const auto& client : clients_) waits.insert(waits.end(), client->waits.begin(), client->waits.end());
    if (waits.empty()) Fail("nothing was extracted");
    std::sort(waits.begin(), waits.end());
    return {static_cast<double>(waits.size()) / seconds, waits[waits.size() / 2] * 1e3,
            waits[waits.size() * 99 / 100] * 1e3, refused_.load()};
  }

 private:
  struct Client {
    wire::Distribution::Stub* stub = nullptr;
    std::string id;
    std::uint64_t requests = 0;
    std::unique_ptr<grpc::ClientContext> context;
    wire::ExtractRequest extract;
    wire::ExtractResponse extracted;
    wire::ReleaseRequest release;
    wire::ReleaseResponse released;
    Clock::time_point asked;
    std::vector<double> waits;  // seconds
  };

  void Extract(Client& client) {
    client.context = std::make_unique<grpc::ClientContext>();
    client.extract.set_client_id(client.id);
    client.extract.set_request_id("request-" + std::to_string(++client.requests));
    client.extract.set_count(static_cast<std::uint32_t>(machines_));
    client.extract.set_all_or_nothing(true);
    client.asked = Clock::now();
    client.stub->async()->Extract(client.context.get(), &client.extract, &client.extracted,
                                  [this, &client](const grpc::Status& status) { Extracted(client, status); });
  }

  void Extracted(Client& client, const grpc::Status& status) {
    if (!status.ok()) {
      ++refused_;
      return Again(client);
    }
    client.waits.push_back(std::chrono::duration<double>(Clock::now() - client.asked).count());
    client.context = std::make_unique<grpc::ClientContext>();
    client.release.set_client_id(client.id);
    client.release.set_request_id("back-" + std::to_string(client.requests));
    client.release.set_extraction_id(client.extracted.extraction_id());
    client.stub->async()->Release(client.context.get(), &client.release, &client.released,
                                  [this, &client](const grpc::Status& answer) {
                                    MustBeOk(answer, "Release");
                                    Again(client);
                                  });
  }

  void Again(Client& client) {
    if (Clock::now() < end_) return Extract(client);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (--running_ == 0) idle_.notify_one();
  }

  const Options& options_;
  const int machines_;
  std::vector<std::unique_ptr<wire::Distribution::Stub>> stubs_;
  std::vector<std::unique_ptr<Client>> clients_;
  std::atomic<std::uint64_t> refused_{0};
  Clock::time_point end_;
  std::mutex mutex_;
  std::condition_variable idle_;
  int running_ = 0;
};

Clients::Rates RunDaemon(const Options& options, const RedisServer* redis, int machines) {
  const Child daemon = StartDaemon(options, redis);
  Operator boss(daemon.address());
  boss.WaitUntilApplied(boss.Import(0, 4 * options.clients * machines + 1'000));
  return Clients(daemon.address(), options, machines).Run();
}

// ---- the bare script
// --------------------------------------------------------------------------------------------------

std::string BareName(int number) { return "bare-" + std::to_string(number); }

RedisCommand BareCall(const std::string& sha1, int client, int machines) {
  RedisCommand call = {"EVALSHA", sha1, std::to_string(machines + 1), "bare:available"};
  for (int i = 0; i < machines; ++i) call.push_back("bare:address:" + BareName(client * machines + i));
  for (int i = 0; i < machines; ++i) call.push_back(BareName(client * machines + i));
  return call;
}

// Moves a second, each with its move back, as many at a time as there are clients.
double RunBare(RedisServer& redis, const Options& options, int machines) {
  const std::string move = redis.Ask({"SCRIPT", "LOAD", kMove}).text;
  const std::string back = redis.Ask({"SCRIPT", "LOAD", kMoveBack}).text;
  for (int i = 0; i < options.clients * machines; ++i) redis.Ask({"ZADD", "bare:available", "1", BareName(i)});
  std::atomic<std::uint64_t> moves{0};
  std::vector<std::thread> threads;
  const auto start = Clock::now();
  const auto end = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds));
  for (int i = 0; i < options.clients; ++i) {
    threads.emplace_back([&, i] {
      const auto clock = *SystemBootClock();
      auto connection = RedisConnection::Open(redis.address(), Deadline(*clock, std::chrono::seconds(10)));
      if (!connection.ok()) Fail(connection.status().ToString());
      while (Clock::now() < end) {
        for (const std::string* script : {&move, &back}) {
          const RedisCommand calls[] = {BareCall(*script, i, machines)};
          const auto replies = (*connection)->Run(calls, Deadline(*clock, std::chrono::seconds(10)));
          if (!replies.ok() || (*replies)[0].integer != machines) Fail("the bare script moved too little");
        }
        ++moves;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(moves.load()) / std::chrono::duration<double>(Clock::now() - start).count();
}

void CompareExtractions(const Options& options) {
  RedisServer redis({.tcp = false, .durable = true});
  std::printf(
      "extractions of so many machines, each given back, %d clients with one call in flight each, %d rounds\n\n",
      options.clients, options.pairs);
  for (const int machines : {1, 10}) {
    std::vector<double> embedded, stored, bare, ratios;
    Clients::Rates last_embedded, last_stored;
    for (int pair = 0; pair < options.pairs; ++pair) {
      last_embedded = RunDaemon(options, nullptr, machines);
      redis.Ask({"FLUSHALL"});
      last_stored = RunDaemon(options, &redis, machines);
      bare.push_back(RunBare(redis, options, machines));
      embedded.push_back(last_embedded.extractions);
      stored.push_back(last_stored.extractions);
      ratios.push_back(stored.back() / bare.back());
    }
    std::printf(
        "%2d machines: embedded %.0f/s (p50 %.1f ms, p99 %.1f ms); Redis %.0f/s (p50 %.1f ms, p99 %.1f ms); "
        "bare script %.0f/s; share of the bare script: median %.2f, range %.2f to %.2f; refused %llu and %llu\n",
        machines, Median(embedded), last_embedded.p50_ms, last_embedded.p99_ms, Median(stored), last_stored.p50_ms,
        last_stored.p99_ms, Median(bare), Median(ratios), *std::min_element(ratios.begin(), ratios.end()),
        *std::max_element(ratios.begin(), ratios.end()), static_cast<unsigned long long>(last_embedded.refused),
        static_cast<unsigned long long>(last_stored.refused));
    std::fflush(stdout);
  }
}

// How long one more proxy takes to be in the store, while clients extract and give back as fast as they can.
void MeasureLag(const Options& options) {
  RedisServer redis({.tcp = false, .durable = true});
  for (const RedisServer* store : {static_cast<const RedisServer*>(nullptr), static_cast<const RedisServer*>(&redis)}) {
    const Child daemon = StartDaemon(options, store);
    Operator boss(daemon.address());
    boss.WaitUntilApplied(boss.Import(0, 4 * options.clients + 1'000));
    Clients clients(daemon.address(), options, 1);
    std::thread load([&] { clients.Run(); });
    std::vector<double> lags;
    const auto end = Clock::now() +
                     std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.seconds * 0.8));
    for (int i = 0; Clock::now() < end; ++i) lags.push_back(boss.WaitUntilApplied(boss.Import(50'000 + i, 1)));
    load.join();
    std::sort(lags.begin(), lags.end());
    std::printf(
        "lag of the projector at full load (%s): p50 %.1f ms, p99 %.1f ms after the import's answer, %zu times\n",
        store == nullptr ? "embedded" : "Redis", lags[lags.size() / 2] * 1e3, lags[lags.size() * 99 / 100] * 1e3,
        lags.size());
  }
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Options options;
  CLI::App app("Extractions through the daemon beside a bare script on the same Redis");
  app.add_option("--daemon", options.daemon, "the holdfastd to measure");
  app.add_option("--directory", options.directory, "where its log goes");
  app.add_option("--clients", options.clients, "clients, with one call in flight each");
  app.add_option("--seconds", options.seconds, "of each run");
  app.add_option("--pairs", options.pairs, "rounds");
  CLI11_PARSE(app, argc, argv);
  holdfast::bench::CompareExtractions(options);
  holdfast::bench::MeasureLag(options);
  return 0;
}
