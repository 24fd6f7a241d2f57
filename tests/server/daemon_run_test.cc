// holdfastd as an operator meets it: flags, exit codes, the port file, signals, and what it says when it cannot run.

#include <gmock/gmock.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "controlplane/v1/controlplane.grpc.pb.h"
#include "server/config_load.h"
#include "tests/events/temporary_directory.h"
#include "tests/server/call_detail.h"
#include "tests/server/daemon_process.h"

namespace holdfast::server {
namespace {

using holdfast::testing::TemporaryDirectory;
using ::testing::AllOf;
using ::testing::HasSubstr;

int RunToItsEnd(const TemporaryDirectory& directory, const std::vector<std::string>& arguments, std::string* errors) {
  DaemonProcess process(directory.path(), arguments);
  const int code = process.Wait();
  *errors = process.Errors();
  return code;
}

std::vector<std::string> Serving(const TemporaryDirectory& directory) {
  return {"--data-dir",  directory.File("log"),  "--listen",   "127.0.0.1:0",
          "--port-file", directory.File("port"), "--bootstrap"};
}

grpc::Status Register(const std::string& address, controlplane::v1::RegisterWorkerResponse* response) {
  auto stub =
      controlplane::v1::WorkerControlPlane::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()));
  grpc::ClientContext context;
  controlplane::v1::RegisterWorkerRequest request;
  request.set_worker_id("worker-1");
  request.set_instance_id("instance-1");
  request.set_supported_protocol_version(1);
  return stub->RegisterWorker(&context, request, response);
}

TEST(DaemonProgram, CheckConfigPrintsWhatWouldBeInForceAndReadsItBack) {
  TemporaryDirectory directory;
  DaemonProcess process(directory.path(), {"--check-config", "--set", "control_plane.session_ttl=2s", "--listen",
                                           "127.0.0.1:1234", "--set", "log.min_free=1GiB"});

  const int code = process.Wait();

  EXPECT_EQ(code, 0);
  const nlohmann::json printed = nlohmann::json::parse(process.Output(), nullptr, false);
  ASSERT_FALSE(printed.is_discarded());
  EXPECT_EQ(printed["control_plane"]["session_ttl"], "2s");
  EXPECT_EQ(printed["listen"], "127.0.0.1:1234");
  EXPECT_EQ(printed["log"]["min_free"], "1GiB");
  Config config;
  EXPECT_TRUE(LoadConfigText(process.Output(), "printed", config).ok());
}

TEST(DaemonProgram, WhatCannotRunEndsWithTwoAndOneClearLine) {
  TemporaryDirectory directory;
  std::ofstream(directory.File("bad.json")) << "{\n \"listen\": }\n";
  std::string errors;

  EXPECT_EQ(RunToItsEnd(directory, {"--config", directory.File("bad.json")}, &errors), 2);
  EXPECT_THAT(errors, AllOf(HasSubstr("bad.json, line 2, column"), HasSubstr("error")));
  EXPECT_EQ(RunToItsEnd(directory, {"--check-config", "--set", "no.such=1"}, &errors), 2);
  EXPECT_THAT(errors, HasSubstr("no.such: there is no such setting"));
  EXPECT_EQ(RunToItsEnd(directory, {"--listen", "0.0.0.0:7443"}, &errors), 2);
  EXPECT_THAT(errors, HasSubstr("refused to listen on 0.0.0.0:7443"));
  EXPECT_EQ(RunToItsEnd(directory, {"--no-such-flag"}, &errors), 2);
  EXPECT_THAT(errors, HasSubstr("--no-such-flag"));
  std::ofstream(directory.File("a-file")) << "x";
  EXPECT_EQ(RunToItsEnd(directory, {"--listen", "127.0.0.1:0", "--data-dir", directory.File("a-file")}, &errors), 2);
  EXPECT_THAT(errors, HasSubstr("is not a directory"));
  EXPECT_EQ(RunToItsEnd(directory, {"--version"}, &errors), 0);
}

// Nobody tells the time: it says so after some tries, and does not begin on a date that it was told not to believe.
TEST(DaemonProgram, WithoutTheClockThatItIsToFollowItDoesNotStart) {
  TemporaryDirectory directory;
  std::vector<std::string> arguments = Serving(directory);
  for (const std::string& setting :
       {std::string("clock.source=redis"), "pool.redis.addresses=unix:" + directory.File("none")}) {
    arguments.insert(arguments.end(), {"--set", setting});
  }
  std::string errors;

  EXPECT_EQ(RunToItsEnd(directory, arguments, &errors), 2);

  EXPECT_THAT(errors, AllOf(HasSubstr("clock.source: nobody tells the time"), HasSubstr("cannot be reached")));
  EXPECT_FALSE(std::filesystem::exists(directory.File("port")));
}

TEST(DaemonProgram, ItServesSaysWhereAndEndsCleanlyOnASignal) {
  TemporaryDirectory directory;
  DaemonProcess process(directory.path(), Serving(directory));
  const std::string address = process.WaitForLine(directory.File("port"));
  ASSERT_THAT(address, HasSubstr("127.0.0.1:")) << process.Errors();
  controlplane::v1::RegisterWorkerResponse response;
  ASSERT_TRUE(Register(address, &response).ok());

  process.Signal(SIGTERM);
  const int code = process.Wait();

  EXPECT_EQ(code, 0) << process.Errors();
  EXPECT_FALSE(std::filesystem::exists(directory.File("port")));
  EXPECT_THAT(process.Errors(), HasSubstr("stopped"));
}

TEST(DaemonProgram, AfterAKillItGoesOnWithTheSameLog) {
  TemporaryDirectory directory;
  controlplane::v1::RegisterWorkerResponse before;
  {
    DaemonProcess process(directory.path(), Serving(directory));
    ASSERT_TRUE(Register(process.WaitForLine(directory.File("port")), &before).ok());
    process.Signal(SIGKILL);
    EXPECT_EQ(process.Wait(), -SIGKILL);
  }
  std::filesystem::remove(directory.File("port"));

  DaemonProcess process(directory.path(), Serving(directory));
  controlplane::v1::RegisterWorkerResponse after;
  ASSERT_TRUE(Register(process.WaitForLine(directory.File("port")), &after).ok());

  EXPECT_EQ(after.log_id(), before.log_id());
  EXPECT_GT(after.ownership_epoch(), before.ownership_epoch());
}

TEST(DaemonProgram, ASecondOneOnTheSameLogOrPortIsTurnedAway) {
  TemporaryDirectory first_directory;
  TemporaryDirectory second_directory;
  DaemonProcess first(first_directory.path(), Serving(first_directory));
  const std::string address = first.WaitForLine(first_directory.File("port"));
  ASSERT_FALSE(address.empty()) << first.Errors();
  std::string errors;

  EXPECT_EQ(
      RunToItsEnd(second_directory, {"--data-dir", first_directory.File("log"), "--listen", "127.0.0.1:0"}, &errors),
      2);
  EXPECT_THAT(errors, HasSubstr("is held by process"));
  EXPECT_EQ(RunToItsEnd(second_directory, {"--data-dir", second_directory.File("log"), "--listen", address}, &errors),
            2);
  EXPECT_THAT(errors, AllOf(HasSubstr("cannot listen on " + address), HasSubstr("--listen")));
  controlplane::v1::RegisterWorkerResponse response;
  EXPECT_TRUE(Register(address, &response).ok());
}

TEST(DaemonProgram, WithFewOpenFilesItSaysHowManyConnectionsItTakesAndServes) {
  TemporaryDirectory directory;
  DaemonProcess process(directory.path(), Serving(directory), 200);

  const std::string address = process.WaitForLine(directory.File("port"));
  controlplane::v1::RegisterWorkerResponse response;

  ASSERT_FALSE(address.empty()) << process.Errors();
  EXPECT_THAT(process.Errors(), AllOf(HasSubstr("the process may open 200 files"), HasSubstr("connections are taken")));
  EXPECT_TRUE(Register(address, &response).ok());
}

TEST(DaemonProgram, WithTooFewOpenFilesItDoesNotStart) {
  TemporaryDirectory directory;
  DaemonProcess process(directory.path(), Serving(directory), 100);

  const int code = process.Wait();

  EXPECT_EQ(code, 2);
  EXPECT_THAT(process.Errors(), HasSubstr("ulimit -n"));
}

// A call that stays open as long as its client likes.
class EndlessCall {
 public:
  explicit EndlessCall(const std::string& address)
      : stub_(grpc::CreateChannel(address, grpc::InsecureChannelCredentials())),
        call_(stub_.PrepareCall(&context_, "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", &queue_)) {
    call_->StartCall(nullptr);
    Next();
    const grpc::Slice list_services(std::string("\x3a\x01*", 3));
    call_->Write(grpc::ByteBuffer(&list_services, 1), nullptr);
    Next();
    grpc::ByteBuffer answer;
    call_->Read(&answer, nullptr);
    Next();
  }
  ~EndlessCall() {
    context_.TryCancel();
    grpc::Status status;
    call_->Finish(&status, nullptr);
    Next();
  }

 private:
  void Next() {
    void* tag = nullptr;
    bool ok = false;
    queue_.Next(&tag, &ok);
  }

  grpc::GenericStub stub_;
  grpc::ClientContext context_;
  grpc::CompletionQueue queue_;
  std::unique_ptr<grpc::GenericClientAsyncReaderWriter> call_;
};

TEST(DaemonProgram, ASecondSignalEndsItAtOnceWhileTheFirstWaitsForCalls) {
  TemporaryDirectory directory;
  std::vector<std::string> arguments = Serving(directory);
  arguments.insert(arguments.end(), {"--set", "shutdown_patience=10m"});
  DaemonProcess process(directory.path(), arguments);
  const std::string address = process.WaitForLine(directory.File("port"));
  ASSERT_FALSE(address.empty()) << process.Errors();
  EndlessCall call(address);

  process.Signal(SIGINT);
  ASSERT_TRUE(process.WaitForWords("finishing what is under way"));
  process.Signal(SIGTERM);

  EXPECT_EQ(process.Wait(), -SIGTERM);
}

}  // namespace
}  // namespace holdfast::server
