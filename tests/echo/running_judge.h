// The judge of tools/echo in the test's own process, on a free port of 127.0.0.1.

#pragma once

#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tools/echo/judge_server.h"

namespace holdfast::echo {

class RunningJudge {
 public:
  explicit RunningJudge(const JudgeOptions& options = {}) : server_(options) {
    EXPECT_TRUE(server_.Listen().ok());
    thread_ = std::thread([this] { server_.Run(); });
  }
  ~RunningJudge() {
    server_.Stop();
    thread_.join();
  }

  std::uint16_t port() const { return server_.port(); }
  std::string url() const { return "http://" + server_.address() + "/"; }

 private:
  JudgeServer server_;
  std::thread thread_;
};

}  // namespace holdfast::echo
