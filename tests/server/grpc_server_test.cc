// The transport: where it listens, health, reflection, the bound of connections.

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <condition_variable>
#include <future>

#include "server/grpc_server_address.h"
#include "server/grpc_server_listener.h"
#include "tests/server/call_detail.h"
#include "tests/server/test_worker.h"

namespace holdfast::server {
namespace {

using ::testing::HasSubstr;

// grpc.health.v1.HealthCheckResponse.status: field 1. -1: the call failed.
int HealthOf(const std::shared_ptr<grpc::Channel>& channel, const std::string& service) {
  grpc::GenericStub stub(channel);
  grpc::ClientContext context;
  std::string request_bytes;
  if (!service.empty()) request_bytes = "\x0a" + std::string(1, static_cast<char>(service.size())) + service;
  const grpc::Slice slice(request_bytes);
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;
  stub.UnaryCall(&context, "/grpc.health.v1.Health/Check", grpc::StubOptions(), &request, &response,
                 [&done](grpc::Status status) { done.set_value(std::move(status)); });
  if (!done.get_future().get().ok()) return -1;
  grpc::Slice answer;
  if (!response.DumpToSingleSlice(&answer).ok()) return -1;
  return answer.size() == 2 && answer.begin()[0] == 8 ? answer.begin()[1] : 0;
}

constexpr int kServing = 1;
constexpr int kNotServing = 2;

TEST(ListenAddress, LoopbackAndUnixSocketsAreTaken) {
  for (const char* text : {"127.0.0.1:7443", "127.9.8.7:0", "[::1]:7443", "unix:run/holdfast.sock"}) {
    const auto address = ParseListenAddress(text);
    ASSERT_TRUE(address.ok()) << address.status();
    EXPECT_EQ(address->text(), text);
  }
}

TEST(ListenAddress, PlaintextOffLoopbackIsRefusedAndSaysWhatToDo) {
  for (const char* text : {"0.0.0.0:7443", "10.0.0.1:7443", "[::]:7443", "[fe80::1]:1", "192.168.1.5:80",
                           "[::ffff:10.0.0.1]:7443", "128.0.0.1:1"}) {
    const auto address = ParseListenAddress(text);
    EXPECT_TRUE(absl::IsFailedPrecondition(address.status())) << text;
    EXPECT_THAT(std::string(address.status().message()), HasSubstr("Listen on 127.0.0.1"));
  }
}

TEST(ListenAddress, NamesAndNonsenseAreNoAddresses) {
  for (const char* text : {"localhost:7443", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "::1:7443", "[::1]", ":7443",
                           "", "unix:", "127.1:80", "127.0.0.1:-1", "127.0.0.1:7443x"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ParseListenAddress(text).status())) << text;
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ParseListenAddress("unix:" + std::string(200, 'x')).status()));
}

TEST(GrpcServer, ATakenPortIsToldBeforeAnythingElse) {
  auto first = Listener::Bind({"127.0.0.1", 0, ""});
  ASSERT_TRUE(first.ok());
  ASSERT_TRUE((*first)->Listen().ok());

  const auto second = Listener::Bind((*first)->address());

  EXPECT_TRUE(absl::IsAlreadyExists(second.status()));
  EXPECT_THAT(std::string(second.status().message()), HasSubstr((*first)->address().text()));
}

TEST(GrpcServer, AUnixSocketThatNobodyServesIsReplacedAndOneThatIsServedIsNot) {
  const std::string path = ::testing::TempDir() + "holdfast-listener-test.sock";
  unlink(path.c_str());
  {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    path.copy(name.sun_path, sizeof(name.sun_path) - 1);
    const int left_behind = socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(bind(left_behind, reinterpret_cast<sockaddr*>(&name), sizeof(name)), 0);
    close(left_behind);
  }

  auto first = Listener::Bind({"", 0, path});
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_TRUE((*first)->Listen().ok());
  const auto second = Listener::Bind({"", 0, path});

  EXPECT_TRUE(absl::IsAlreadyExists(second.status()));
  first->reset();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(GrpcServer, HealthNamesTheServicesAndFollowsTheDisk) {
  std::atomic<std::uint64_t> free_bytes = 1ull << 40;
  TestDaemon::Options options;
  options.free_disk_bytes = [&free_bytes] { return absl::StatusOr<std::uint64_t>(free_bytes.load()); };
  TestDaemon daemon(options);
  const auto channel = daemon.NewChannel();

  EXPECT_EQ(HealthOf(channel, ""), kServing);
  EXPECT_EQ(HealthOf(channel, "controlplane.v1.WorkerControlPlane"), kServing);
  EXPECT_EQ(HealthOf(channel, "no.such.Service"), -1);
  free_bytes = 1;
  daemon.daemon().LookAround();
  EXPECT_EQ(HealthOf(channel, ""), kNotServing);
  EXPECT_EQ(HealthOf(channel, "controlplane.v1.WorkerControlPlane"), kNotServing);
  free_bytes = 1ull << 40;
  daemon.daemon().LookAround();
  EXPECT_EQ(HealthOf(channel, ""), kServing);
}

TEST(GrpcServer, ReflectionNamesTheServices) {
  TestDaemon daemon;
  grpc::GenericStub stub(daemon.NewChannel());
  grpc::ClientContext context;
  // ServerReflectionRequest{list_services: "*"}: field 7.
  const grpc::Slice slice(std::string("\x3a\x01*", 3));
  grpc::ByteBuffer request(&slice, 1);
  grpc::CompletionQueue queue;
  auto stream = stub.PrepareCall(&context, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue);
  const auto wait = [&queue] {
    void* tag = nullptr;
    bool ok = false;
    return queue.Next(&tag, &ok) && ok;
  };

  stream->StartCall(nullptr);
  ASSERT_TRUE(wait());
  stream->Write(request, nullptr);
  ASSERT_TRUE(wait());
  grpc::ByteBuffer response;
  stream->Read(&response, nullptr);
  ASSERT_TRUE(wait());

  grpc::Slice answer;
  ASSERT_TRUE(response.DumpToSingleSlice(&answer).ok());
  const std::string text(reinterpret_cast<const char*>(answer.begin()), answer.size());
  EXPECT_THAT(text, HasSubstr("controlplane.v1.WorkerControlPlane"));
  EXPECT_THAT(text, HasSubstr("grpc.health.v1.Health"));
  context.TryCancel();
  grpc::Status status;
  stream->Finish(&status, nullptr);
  wait();
}

TEST(GrpcServer, MoreConnectionsThanMayBeAreClosedAndRoomIsUsedAgain) {
  TestDaemon::Options options;
  options.config.max_connections = 3;
  TestDaemon daemon(options);
  const Acceptor& acceptor = daemon.daemon().server().acceptor();
  std::vector<std::shared_ptr<grpc::Channel>> channels;
  for (int i = 0; i < 3; ++i) {
    channels.push_back(daemon.NewChannel());
    ASSERT_EQ(HealthOf(channels.back(), ""), kServing);
  }

  const auto one_too_many = daemon.NewChannel();
  const int refused = HealthOf(one_too_many, "");
  channels.pop_back();
  int served = -1;
  while (served != kServing) served = HealthOf(daemon.NewChannel(), "");

  EXPECT_EQ(refused, -1);
  EXPECT_GE(acceptor.refused(), 1u);
  EXPECT_LE(acceptor.connections(), 3u);
  EXPECT_EQ(HealthOf(channels[0], ""), kServing);
}

TEST(GrpcServer, WhatIsNoMessageIsMalformedAndNamesTheTrouble) {
  TestDaemon daemon;
  grpc::GenericStub stub(daemon.NewChannel());
  grpc::ClientContext context;
  const grpc::Slice slice(std::string("\xff\xff\xff"));
  const grpc::ByteBuffer request(&slice, 1);
  grpc::ByteBuffer response;
  std::promise<grpc::Status> done;

  stub.UnaryCall(&context, "/controlplane.v1.WorkerControlPlane/ReportRuntime", grpc::StubOptions(), &request,
                 &response, [&done](grpc::Status status) { done.set_value(std::move(status)); });
  const grpc::Status status = done.get_future().get();

  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(ReasonOf(status), controlplane::v1::REJECT_REASON_MALFORMED);
}

}  // namespace
}  // namespace holdfast::server
