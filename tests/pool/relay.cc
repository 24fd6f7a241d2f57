#include "tests/pool/relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "tests/checker/child_process.h"

namespace holdfast::pool::testing {
namespace {

constexpr int kLookMillis = 5;

sockaddr_un UnixAddress(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, path.c_str(), sizeof address.sun_path - 1);
  return address;
}

// What there is to read now; empty: the other end has hung up.
std::string ReadSome(int descriptor) {
  std::string bytes(64 * 1024, '\0');
  const ssize_t got = recv(descriptor, bytes.data(), bytes.size(), 0);
  bytes.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return bytes;
}

void WriteAll(int descriptor, const std::string& bytes) {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t sent = send(descriptor, bytes.data() + done, bytes.size() - done, MSG_NOSIGNAL);
    if (sent <= 0) return;
    done += static_cast<std::size_t>(sent);
  }
}

bool IsReadable(int descriptor, int millis) {
  pollfd wait{.fd = descriptor, .events = POLLIN, .revents = 0};
  return poll(&wait, 1, millis) > 0;
}

bool IsScriptCall(const std::string& bytes) {
  return bytes.find("\r\nEVALSHA\r\n") != std::string::npos || bytes.find("\r\nEVAL\r\n") != std::string::npos;
}

}  // namespace

Relay::Relay(const RedisAddress& redis) : redis_(redis) {
  address_.unix_path = directory_.File("relay.sock");
  listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = UnixAddress(address_.unix_path);
  EXPECT_EQ(bind(listener_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(listen(listener_, 16), 0);
  thread_ = std::thread([this] { Loop(); });
}

Relay::~Relay() {
  ending_ = true;
  thread_.join();
  close(listener_);
}

void Relay::Loop() {
  while (!ending_) {
    if (!IsReadable(listener_, kLookMillis)) continue;
    const int store = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (store < 0) continue;
    Serve(store);
    close(store);
  }
}

void Relay::Serve(int store) {
  const int redis = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_un address = UnixAddress(redis_.unix_path);
  bool goes_on = connect(redis, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  cut_next_reply_ = false;
  while (goes_on && !ending_) {
    pollfd waits[] = {{.fd = store, .events = POLLIN, .revents = 0}, {.fd = redis, .events = POLLIN, .revents = 0}};
    if (poll(waits, 2, kLookMillis) <= 0) continue;
    if (waits[1].revents != 0) goes_on = PassReply(store, redis);
    if (goes_on && waits[0].revents != 0) goes_on = PassCall(store, redis);
  }
  if (!held_.empty()) DeliverHeld(redis);
  close(redis);
}

bool Relay::PassCall(int store, int redis) {
  const std::string bytes = ReadSome(store);
  if (bytes.empty()) return false;
  if (IsScriptCall(bytes)) {
    NoteKeys(bytes);
    ++calls_;
    if (holding_) {
      held_ += bytes;
      held_bytes_ = held_.size();
      return true;
    }
    if (const int every = cut_call_every_; every > 0 && calls_ % every == 0) {
      ++cuts_;
      return false;
    }
    if (const int every = cut_reply_every_; every > 0 && calls_ % every == 0) cut_next_reply_ = true;
  }
  WriteAll(redis, bytes);
  return true;
}

bool Relay::PassReply(int store, int redis) {
  const std::string bytes = ReadSome(redis);
  if (bytes.empty()) return false;
  if (cut_next_reply_) {
    ++cuts_;
    return false;
  }
  WriteAll(store, bytes);
  return true;
}

// Of the first call in the bytes: its number of keys stands after the script.
void Relay::NoteKeys(const std::string& bytes) {
  const std::string word = "\r\nEVALSHA\r\n$40\r\n";
  for (std::size_t found = bytes.find(word); found != std::string::npos; found = bytes.find(word, found + 1)) {
    const std::size_t size = found + word.size() + 42;  // the name of the script, and the end of its line
    const std::size_t number = bytes.find("\r\n", size);
    if (number == std::string::npos) return;
    const std::uint64_t keys = std::strtoull(bytes.c_str() + number + 2, nullptr, 10);
    most_keys_ = std::max<std::uint64_t>(most_keys_, keys);
  }
}

void Relay::DeliverHeld(int redis) {
  while (!release_ && !ending_) IsReadable(listener_, kLookMillis);
  if (ending_) return;
  WriteAll(redis, held_);
  held_.clear();
  held_bytes_ = 0;
  holding_ = false;
  while (!ending_ && !IsReadable(redis, kLookMillis)) {
  }
  delivered_ = true;
}

void Relay::ReleaseAndAwaitReply() {
  release_ = true;
  EXPECT_TRUE(checker::WaitUntil([this] { return delivered_.load(); }));
}

}  // namespace holdfast::pool::testing
