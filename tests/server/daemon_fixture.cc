#include "tests/server/daemon_fixture.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "events/block_view.h"

namespace holdfast::server {
namespace {

constexpr Duration kStep = std::chrono::milliseconds(100);  // below every third of a session_ttl that tests use

class PromiseSink final : public ReplySink {
 public:
  explicit PromiseSink(std::promise<Reply> promise) : promise_(std::move(promise)) {}
  void Deliver(Reply reply) override { promise_.set_value(std::move(reply)); }

 private:
  std::promise<Reply> promise_;
};

}  // namespace

TestDaemon::TestDaemon(Options options) : options_(std::move(options)) { Start(); }

TestDaemon::~TestDaemon() {
  log_.Release();
  daemon_.reset();
}

void TestDaemon::Start() {
  auto listener = Listener::Bind({"127.0.0.1", 0, ""});
  ASSERT_TRUE(listener.ok()) << listener.status();
  Daemon::Options options;
  options.bootstrap = options_.bootstrap;
  options.software_version = "test";
  options.max_connections = options_.config.max_connections;
  options.free_disk_bytes = options_.free_disk_bytes;
  options.drive_pool = options_.make_store != nullptr;
  if (options_.wall_clock && !wall_) wall_ = options_.wall_clock(clocks_.boot());
  const WallClock* wall = wall_ ? wall_.get() : &clocks_.wall();
  auto daemon = Daemon::Start(options_.config, {log_, {&clocks_.boot(), wall}, random_}, options, std::move(*listener),
                              options_.make_store ? options_.make_store() : nullptr);
  ASSERT_TRUE(daemon.ok()) << daemon.status();
  daemon_ = std::move(*daemon);
}

void TestDaemon::Restart() {
  daemon_.reset();
  Start();
}

std::shared_ptr<grpc::Channel> TestDaemon::NewChannel() const {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetMaxReceiveMessageSize(-1);
  // A reader that does not read holds its writer back after 64 KiB, not after what the kernel feels like.
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 65'535);
  return grpc::CreateCustomChannel(address(), grpc::InsecureChannelCredentials(), arguments);
}

void TestDaemon::Advance(Duration duration) {
  for (Duration left = duration; left > Duration(0); left -= kStep) {
    clocks_.Advance(std::min(left, kStep).count());
    Settle();
    daemon_->LookAtTime();
  }
  Settle();
}

void TestDaemon::Settle() {
  log::v1::Input input;
  input.mutable_acknowledge_snapshot()->set_worker_id("nobody");
  input.mutable_acknowledge_snapshot()->set_session_id("settle");
  Decide(input, "settle-" + std::to_string(settles_++));
}

Reply TestDaemon::Decide(const log::v1::Input& input, const std::string& peer) {
  std::promise<Reply> promise;
  std::future<Reply> reply = promise.get_future();
  Command command = MakeCommand(input, kLoopbackPrincipal, peer, std::make_unique<PromiseSink>(std::move(promise)));
  EXPECT_TRUE(loop().Submit(command, CallClass::kNeverShed));
  return reply.get();
}

admin::v1::ImportProxiesResponse TestDaemon::Import(int count, const std::string& prefix) {
  log::v1::Input input;
  for (int i = 0; i < count; ++i) {
    admin::v1::ProxySpec* spec = input.mutable_import_proxies()->mutable_request()->add_proxies();
    spec->set_proxy_id(prefix + std::to_string(i));
    spec->mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_HTTP);
    spec->mutable_endpoint()->set_host(prefix + std::to_string(i) + ".example.net");
    spec->mutable_endpoint()->set_port(3128);
    (*spec->mutable_labels())["tier"] = "gold";
    (*spec->mutable_labels())["country"] = "de";
  }
  const Reply reply = Decide(input);
  const auto* answer = std::get_if<admin::v1::ImportProxiesResponse>(&reply);
  EXPECT_TRUE(answer != nullptr && answer->rejections().empty());
  return answer ? *answer : admin::v1::ImportProxiesResponse{};
}

std::vector<LoggedEntry> TestDaemon::Entries() const {
  std::vector<LoggedEntry> entries;
  auto reader = log_.NewReader(Sequence(1));
  EXPECT_TRUE(reader.ok());
  while (true) {
    const auto block = (*reader)->Next();
    EXPECT_TRUE(block.ok());
    if (!block.ok() || !*block) return entries;
    BlockView view;
    const absl::Status parsed = view.Parse((*block)->block, (*block)->bulk);
    EXPECT_TRUE(parsed.ok()) << parsed;
    for (const EntryView& entry : view.entries()) {
      LoggedEntry logged{entry.sequence, std::string(entry.principal), std::string(entry.input), {}};
      EXPECT_TRUE(logged.input.ParseFromString(logged.input_bytes));
      entries.push_back(std::move(logged));
    }
  }
}

std::vector<LoggedEntry> TestDaemon::Entries(log::v1::Input::InputCase kind) const {
  std::vector<LoggedEntry> entries = Entries();
  std::erase_if(entries, [kind](const LoggedEntry& entry) { return entry.input.input_case() != kind; });
  return entries;
}

}  // namespace holdfast::server
