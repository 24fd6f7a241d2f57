// The program itself, as a process: what RunCli cannot show. Pipes, signals, exit codes as numbers, no terminal.

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "tests/cli/cli_run.h"
#include "tests/cli/fake_daemon.h"
#include "tests/cli/samples.h"

namespace holdfast::cli {
namespace {

using ::testing::HasSubstr;

// A running `holdfast`, its standard streams on pipes of ours.
class Process {
 public:
  explicit Process(const std::vector<std::string>& arguments) {
    int in[2], out[2], error[2];
    EXPECT_EQ(pipe2(in, O_CLOEXEC) + pipe2(out, O_CLOEXEC) + pipe2(error, O_CLOEXEC), 0);
    std::vector<std::string> words = {HOLDFAST_CLI_BINARY};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
    id_ = fork();
    if (id_ == 0) {
      setsid();  // no terminal
      dup2(in[0], STDIN_FILENO);
      dup2(out[1], STDOUT_FILENO);
      dup2(error[1], STDERR_FILENO);
      execv(pointers[0], pointers.data());
      _exit(127);
    }
    in_ = in[1];
    out_ = out[0];
    error_ = error[0];
    for (const int end : {in[0], out[1], error[1]}) close(end);
  }
  ~Process() {
    CloseIn();
    close(error_);
    CloseOut();
    if (!waited_) Wait();
  }

  void Write(std::string_view text) {
    while (!text.empty()) {
      const ssize_t written = write(in_, text.data(), text.size());
      if (written <= 0) return;
      text.remove_prefix(static_cast<std::size_t>(written));
    }
  }
  void CloseIn() { CloseOnce(in_); }
  void CloseOut() { CloseOnce(out_); }
  void Signal(int signal) {
    // kill(-1) would reach every process of the machine.
    if (id_ > 0) kill(id_, signal);
  }
  std::string Out() { return ReadAll(out_); }
  std::string Error() { return ReadAll(error_); }
  // The first byte of the output; waits for it.
  bool ReadOne() {
    char byte;
    return read(out_, &byte, 1) == 1;
  }
  int Wait() {
    int state = 0;
    waitpid(id_, &state, 0);
    waited_ = true;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 1000 + WTERMSIG(state);
  }

 private:
  static void CloseOnce(int& end) {
    if (end >= 0) close(end);
    end = -1;
  }
  static std::string ReadAll(int end) {
    std::string text;
    char bytes[4096];
    for (ssize_t count; (count = read(end, bytes, sizeof bytes)) > 0;)
      text.append(bytes, static_cast<std::size_t>(count));
    return text;
  }

  pid_t id_ = -1;
  int in_ = -1;
  int out_ = -1;
  int error_ = -1;
  bool waited_ = false;
};

TEST(Process, ExitCodesAreTheNumbersOfTheTable) {
  FakeDaemon daemon;

  EXPECT_EQ(Process({"--server", daemon.address(), "status"}).Wait(), 0);
  EXPECT_EQ(Process({"--server", daemon.address(), "proxies", "remove", "gone"}).Wait(), 1);
  EXPECT_EQ(Process({"frobnicate"}).Wait(), 2);
  EXPECT_EQ(Process({"--server", "127.0.0.1:1", "status"}).Wait(), 3);
}

TEST(Process, ARequestIsNamedAsNoOtherIs) {
  FakeDaemon daemon;
  daemon.distribution.AnswerExtract(SampleExtraction(1, 1));

  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Process({"--server", daemon.address(), "extract", "--client", "c", "--count", "1"}).Wait(), 0);
  }

  const auto requests = daemon.distribution.extracts();
  ASSERT_EQ(requests.size(), 2u);
  EXPECT_THAT(requests[0].request_id(), ::testing::MatchesRegex("[0-9a-f]{32}"));
  EXPECT_NE(requests[0].request_id(), requests[1].request_id());
}

TEST(Process, AReaderThatHasSeenEnoughIsNoFault) {
  FakeDaemon daemon;
  for (int i = 0; i < 2000; ++i)
    daemon.pool.Put(SampleProxy("198.18." + std::to_string(i / 250) + "." + std::to_string(i % 250)));
  Process list({"--server", daemon.address(), "proxies", "--json"});

  ASSERT_TRUE(list.ReadOne());
  list.CloseOut();

  EXPECT_EQ(list.Wait(), 0);
  EXPECT_EQ(list.Error(), "");
}

TEST(Process, CtrlCDuringAnImportThatWaitsForItsInputTellsHowFarItGot) {
  FakeDaemon daemon;
  Process import({"--server", daemon.address(), "import", "-", "--json"});
  std::string list;
  for (int i = 0; i < 10'000; ++i)
    list += "198.18." + std::to_string(i / 250) + "." + std::to_string(i % 250) + ":8080\n";
  import.Write(list);
  daemon.pool.WaitForBatches(1);

  import.Signal(SIGINT);

  EXPECT_EQ(import.Wait(), 2);
  EXPECT_THAT(import.Error(), HasSubstr("interrupted"));
}

TEST(Process, CtrlCEndsAFollowedLogWithZero) {
  FakeDaemon daemon;
  daemon.audit.Append(SampleLine(1));
  Process log({"--server", daemon.address(), "log", "--follow"});
  ASSERT_TRUE(log.ReadOne()) << "a line is there as soon as it is committed";

  log.Signal(SIGTERM);

  EXPECT_EQ(log.Wait(), 0);
}

TEST(Process, AFullDiskIsToldAndNotTakenForSuccess) {
  FakeDaemon daemon;
  daemon.audit.SetStatus(SampleStatus());
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "this machine has no /dev/full";
  const std::string command =
      absl::StrCat(HOLDFAST_CLI_BINARY, " --server ", daemon.address(), " status >/dev/full 2>", TestPath("error.txt"));

  const int state = std::system(command.c_str());

  EXPECT_EQ(WEXITSTATUS(state), 2);
  EXPECT_THAT(ReadTestFile(TestPath("error.txt")), HasSubstr("cannot write to standard output"));
}

TEST(Process, TheVersionIsThatOfTheBuild) {
  Process version({"--version"});

  EXPECT_EQ(version.Out(), "holdfast " HOLDFAST_PROJECT_VERSION "\n");
}

}  // namespace
}  // namespace holdfast::cli
