#include "tests/events/writer_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

#include "events/rocksdb_log.h"
#include "tests/events/sample_chain.h"

namespace holdfast::testing {
namespace {

constexpr int kTellDescriptor = 98;  // the child tells here: a sequence of 8 bytes each; 0: refused, then the reason
constexpr int kStopDescriptor = 99;  // and stops when this is closed
constexpr std::uint32_t kEntries = 4;

std::string Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

void Tell(const void* bytes, std::size_t size) {
  if (write(kTellDescriptor, bytes, size) != static_cast<ssize_t>(size)) _exit(3);
}

bool ToldToStop() {
  pollfd stop{.fd = kStopDescriptor, .events = POLLIN, .revents = 0};
  return poll(&stop, 1, 0) > 0;
}

void RunChild() {
  auto log = RocksDbLog::Open(Variable("HOLDFAST_WRITER_DIRECTORY"));
  if (!log.ok()) {
    const std::uint64_t refused = 0;
    const std::string reason(log.status().message());
    Tell(&refused, sizeof refused);
    Tell(reason.data(), reason.size());
    return;
  }
  const std::uint64_t blocks = std::stoull(Variable("HOLDFAST_WRITER_BLOCKS"));
  const std::size_t bytes = std::stoull(Variable("HOLDFAST_WRITER_ENTRY_BYTES"));
  SampleChain chain(std::stoull(Variable("HOLDFAST_WRITER_SEED")));
  EncodedBlock block = chain.Next(kEntries, bytes);
  while (block.first <= (*log)->Tip()) block = chain.Next(kEntries, bytes);  // what is there already
  for (std::uint64_t i = 0; i < blocks && !ToldToStop(); ++i) {
    if (!(*log)->Append(SampleChain::Request(block)).ok()) return;
    const std::uint64_t last = block.last.value();
    Tell(&last, sizeof last);
    block = chain.Next(kEntries, bytes);
  }
}

TEST(WriterProcess, DISABLED_Child) {
  if (!Variable("HOLDFAST_WRITER_DIRECTORY").empty()) RunChild();
}

}  // namespace

WriterProcess::WriterProcess(const WriterPlan& plan) {
  int tell[2], stop[2];
  if (pipe2(tell, O_CLOEXEC) != 0 || pipe2(stop, O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipe";
    return;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, tell[1], kTellDescriptor);
  posix_spawn_file_actions_adddup2(&actions, stop[0], kStopDescriptor);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  std::vector<std::string> environment = {"HOLDFAST_WRITER_DIRECTORY=" + plan.directory,
                                          "HOLDFAST_WRITER_SEED=" + std::to_string(plan.seed),
                                          "HOLDFAST_WRITER_BLOCKS=" + std::to_string(plan.blocks),
                                          "HOLDFAST_WRITER_ENTRY_BYTES=" + std::to_string(plan.entry_bytes)};
  std::vector<std::string> arguments = {"writer", "--gtest_also_run_disabled_tests",
                                        "--gtest_filter=WriterProcess.DISABLED_Child"};
  std::vector<char*> argument_pointers, environment_pointers;
  for (std::string& argument : arguments) argument_pointers.push_back(argument.data());
  for (std::string& variable : environment) environment_pointers.push_back(variable.data());
  argument_pointers.push_back(nullptr);
  environment_pointers.push_back(nullptr);
  const int error = posix_spawn(&process_, "/proc/self/exe", &actions, nullptr, argument_pointers.data(),
                                environment_pointers.data());
  EXPECT_EQ(error, 0);
  posix_spawn_file_actions_destroy(&actions);
  close(tell[1]);
  close(stop[0]);
  from_child_ = tell[0];
  to_child_ = stop[1];
}

WriterProcess::~WriterProcess() {
  Kill();
  close(from_child_);
}

bool WriterProcess::AwaitAcknowledged(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    if (!ReadOne()) return false;
  }
  return true;
}

void WriterProcess::Kill() {
  if (process_ > 0) kill(process_, SIGKILL);
  Wait();
}

void WriterProcess::Stop() { Wait(); }

void WriterProcess::Wait() {
  if (process_ <= 0) return;
  close(to_child_);
  while (ReadOne()) {
  }
  waitpid(process_, nullptr, 0);
  process_ = -1;
}

bool WriterProcess::ReadOne() {
  std::uint64_t told = 0;
  if (read(from_child_, &told, sizeof told) != sizeof told) return false;
  if (told > 0) {
    acknowledged_ = told;
    return true;
  }
  char text[1'000];
  for (ssize_t got = 0; (got = read(from_child_, text, sizeof text)) > 0;) refusal_.append(text, got);
  return false;
}

}  // namespace holdfast::testing
