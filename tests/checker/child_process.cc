#include "tests/checker/child_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <fstream>
#include <iterator>
#include <mutex>

#include "tests/events/temporary_directory.h"

extern char** environ;

namespace holdfast::checker {
namespace {

constexpr int kLooks = 4000;
constexpr std::chrono::milliseconds kBetweenLooks{5};

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

}  // namespace

ChildProcess::ChildProcess(std::vector<std::string> words) {
  static std::atomic<int> count{0};
  output_path_ = TestPath("output-" + std::to_string(++count));
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 1, output_path_.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  EXPECT_EQ(posix_spawnp(&id_, words[0].c_str(), &actions, nullptr, pointers.data(), environ), 0)
      << words[0] << " cannot be started; scripts/packages.txt names what is needed";
  posix_spawn_file_actions_destroy(&actions);
}

ChildProcess::~ChildProcess() {
  if (IsRunning()) Signal(SIGKILL);
  Wait();
}

bool ChildProcess::IsRunning() {
  if (id_ <= 0 || ended_) return false;
  int state = 0;
  if (waitpid(id_, &state, WNOHANG) != id_) return true;
  ended_ = true;
  result_ = WIFEXITED(state) ? WEXITSTATUS(state) : 1000 + WTERMSIG(state);
  return false;
}

void ChildProcess::Signal(int signal) {
  // kill(-1) would reach every process of the machine.
  if (id_ > 0 && !ended_) kill(id_, signal);
}

int ChildProcess::Wait() {
  WaitUntil([this] { return !IsRunning(); });
  return result_;
}

std::string ChildProcess::Output() const { return ReadFile(output_path_); }

bool WaitUntil(const std::function<bool()>& condition) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  for (int look = 0; look < kLooks; ++look) {
    if (condition()) return true;
    never.wait_for(lock, kBetweenLooks);
  }
  return condition();
}

std::uint16_t FreePort() {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof address;
  EXPECT_EQ(bind(descriptor, reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(getsockname(descriptor, reinterpret_cast<sockaddr*>(&address), &size), 0);
  close(descriptor);
  return ntohs(address.sin_port);
}

bool IsListening(std::uint16_t port) {
  const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(port);
  const bool connected = connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  close(descriptor);
  return connected;
}

std::string TestPath(const std::string& name) {
  static const testing::TemporaryDirectory directory;  // gone with this process
  return directory.File(name);
}

std::string WriteFile(const std::string& name, const std::string& content) {
  const std::string path = TestPath(name);
  std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
  EXPECT_EQ(chmod(path.c_str(), 0600), 0);
  return path;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace holdfast::checker
