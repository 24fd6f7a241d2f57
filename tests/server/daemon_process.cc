#include "tests/server/daemon_process.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <functional>
#include <mutex>
#include <sstream>

extern char** environ;

namespace holdfast::server {
namespace {

int ResultOf(int status) { return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status); }

std::string TextOf(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Until it is so; ctest's timeout is the bound.
void WaitUntil(const std::function<bool()>& condition) {
  std::mutex mutex;
  std::condition_variable never;
  std::unique_lock<std::mutex> lock(mutex);
  while (!condition()) never.wait_for(lock, std::chrono::milliseconds(5));
}

}  // namespace

DaemonProcess::DaemonProcess(const std::string& directory, const std::vector<std::string>& arguments, int open_files)
    : directory_(directory) {
  std::vector<std::string> words = {HOLDFAST_DAEMON_BINARY};
  if (open_files > 0) {
    const std::string limit = "ulimit -n " + std::to_string(open_files) + " && exec \"$0\" \"$@\"";
    words = {"/bin/sh", "-c", limit, HOLDFAST_DAEMON_BINARY};
  }
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  const int flags = O_CREAT | O_TRUNC | O_WRONLY;
  posix_spawn_file_actions_addopen(&actions, 1, (directory + "/output").c_str(), flags, 0644);
  posix_spawn_file_actions_addopen(&actions, 2, (directory + "/errors").c_str(), flags, 0644);
  EXPECT_EQ(posix_spawn(&process_, words[0].c_str(), &actions, nullptr, pointers.data(), environ), 0);
  posix_spawn_file_actions_destroy(&actions);
}

DaemonProcess::~DaemonProcess() {
  if (HasEnded()) return;
  Signal(SIGKILL);
  Wait();
}

std::string DaemonProcess::WaitForLine(const std::string& file) {
  std::string text;
  WaitUntil([&] {
    text = TextOf(file);
    return !text.empty() || HasEnded();
  });
  return text.substr(0, text.find('\n'));
}

bool DaemonProcess::WaitForWords(const std::string& text) {
  bool found = false;
  WaitUntil([&] {
    const bool ended = HasEnded();
    found = Errors().find(text) != std::string::npos;
    return found || ended;
  });
  return found;
}

void DaemonProcess::Signal(int signal) { kill(process_, signal); }

int DaemonProcess::Wait() {
  if (ended_) return result_;
  int status = 0;
  waitpid(process_, &status, 0);
  ended_ = true;
  result_ = ResultOf(status);
  return result_;
}

bool DaemonProcess::HasEnded() {
  if (ended_) return true;
  int status = 0;
  if (waitpid(process_, &status, WNOHANG) != process_) return false;
  ended_ = true;
  result_ = ResultOf(status);
  return true;
}

std::string DaemonProcess::Errors() const { return TextOf(directory_ + "/errors"); }
std::string DaemonProcess::Output() const { return TextOf(directory_ + "/output"); }

}  // namespace holdfast::server
