#include "tests/pool/redis_server.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <filesystem>

namespace holdfast::pool::testing {
namespace {

constexpr Duration kServerPatience = std::chrono::seconds(20);
constexpr int kStarts = 5;  // a port that was free may be somebody's a moment later

}  // namespace

RedisServer::RedisServer(RedisPlan plan) : plan_(std::move(plan)), clock_(*SystemBootClock()) {
  for (int start = 0; start < kStarts; ++start) {
    if (plan_.tcp) {
      address_ = {.host = "127.0.0.1", .port = checker::FreePort()};
    } else {
      address_ = {.unix_path = directory_.File("redis.sock")};
    }
    process_ = std::make_unique<checker::ChildProcess>(Words());
    if (checker::WaitUntil([this] { return Answers() || !process_->IsRunning(); }) && process_->IsRunning()) return;
  }
  ADD_FAILURE() << "redis-server does not serve: " << process_->Output();
}

RedisServer::~RedisServer() {
  if (process_ != nullptr) process_->Signal(SIGCONT);
}

std::vector<std::string> RedisServer::Words() const {
  // It goes with the test, also where that ends by a crash.
  std::vector<std::string> words = {"setpriv", "--pdeathsig",     "KILL",   "redis-server",
                                    "--dir",   directory_.path(), "--save", ""};
  if (plan_.tcp) {
    words.insert(words.end(), {"--bind", "127.0.0.1", "--port", std::to_string(address_.port)});
  } else {
    words.insert(words.end(), {"--port", "0", "--unixsocket", address_.unix_path});
  }
  words.insert(words.end(), {"--appendonly", plan_.durable ? "yes" : "no", "--appendfsync", "always"});
  words.insert(words.end(), {"--repl-diskless-sync-delay", "0"});
  words.insert(words.end(), plan_.more.begin(), plan_.more.end());
  return words;
}

bool RedisServer::Answers() {
  connection_.reset();
  auto opened = RedisConnection::Open(address_, Deadline(*clock_, kServerPatience));
  if (!opened.ok()) return false;
  // Its folder says whether it is ours: the port may have become somebody's in between.
  // While it loads it answers that, and refuses the rest.
  const RedisCommand asked[] = {{"CONFIG", "GET", "dir"}, {"PING"}};
  const auto replies = (*opened)->Run(asked, Deadline(*clock_, kServerPatience));
  if (!replies.ok() || (*replies)[0].elements.size() != 2 || (*replies)[1].is_error()) return false;
  if (std::filesystem::path((*replies)[0].elements[1].text) != directory_.path()) return false;
  connection_ = *std::move(opened);
  return true;
}

void RedisServer::Start() {
  process_ = std::make_unique<checker::ChildProcess>(Words());
  EXPECT_TRUE(checker::WaitUntil([this] { return Answers(); })) << process_->Output();
}

void RedisServer::Stop() {
  connection_.reset();
  process_->Signal(SIGTERM);
  process_->Wait();
}

void RedisServer::LoseData() {
  for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
    std::filesystem::remove_all(entry.path());
  }
}

RedisReply RedisServer::Ask(RedisCommand command) {
  if (connection_ == nullptr && !Answers()) {
    ADD_FAILURE() << "redis-server does not answer: " << process_->Output();
    return {};
  }
  const RedisCommand commands[] = {std::move(command)};
  auto replies = connection_->Run(commands, Deadline(*clock_, kServerPatience));
  if (replies.ok()) return replies->front();
  ADD_FAILURE() << replies.status();
  connection_.reset();
  return {};
}

std::int64_t RedisServer::Info(const std::string& name) {
  const std::string text = Ask({"INFO"}).text;
  const std::size_t found = text.find("\n" + name + ":");
  if (found != std::string::npos) return std::stoll(text.substr(found + name.size() + 2));
  ADD_FAILURE() << "INFO of redis-server names no " << name;
  return 0;
}

}  // namespace holdfast::pool::testing
