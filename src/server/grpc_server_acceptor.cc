#include "server/grpc_server_acceptor.h"

#include <absl/strings/str_cat.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace holdfast::server {
namespace {

constexpr std::size_t kRefusalsBetweenLooks = 32;  // looking costs a system call a connection
constexpr int kNoDescriptorPauseMilliseconds = 50;

ino_t InodeOf(int descriptor) {
  struct stat file {};
  return fstat(descriptor, &file) == 0 ? file.st_ino : 0;
}

}  // namespace

Acceptor::Acceptor(Listener& listener, std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> grpc_side,
                   std::size_t most_connections)
    : listener_(listener), grpc_side_(std::move(grpc_side)), most_connections_(most_connections) {}

Acceptor::~Acceptor() {
  Stop();
  if (wake_descriptor_ >= 0) close(wake_descriptor_);
}

absl::Status Acceptor::Start() {
  wake_descriptor_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_descriptor_ < 0) {
    return absl::InternalError(absl::StrCat("the acceptor of connections cannot start: ", std::strerror(errno)));
  }
  if (absl::Status status = listener_.Listen(); !status.ok()) return status;
  thread_ = std::thread([this] { Run(); });
  return absl::OkStatus();
}

void Acceptor::Stop() {
  if (!thread_.joinable()) return;
  eventfd_write(wake_descriptor_, 1);
  thread_.join();
}

void Acceptor::Run() {
  bool starved = false;  // of descriptors: the listener stays readable, so only the wake-up is waited for, for a moment
  while (true) {
    pollfd waiting[2] = {{wake_descriptor_, POLLIN, 0}, {listener_.descriptor(), POLLIN, 0}};
    const int ready = poll(waiting, starved ? 1 : 2, starved ? kNoDescriptorPauseMilliseconds : -1);
    if (waiting[0].revents != 0) return;
    if (ready < 0 && errno != EINTR) return;
    starved = !AcceptOne();
  }
}

// False: there is no descriptor to be had.
bool Acceptor::AcceptOne() {
  const int descriptor = accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
  if (descriptor < 0) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
  if (!HasRoom()) {
    close(descriptor);
    refused_.fetch_add(1);
    return true;
  }
  const int on = 1;  // fails on a unix socket, which has no such delay
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
  connections_.push_back({descriptor, InodeOf(descriptor)});
  count_ = connections_.size();
  grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters parameters;
  parameters.listener_fd = listener_.descriptor();
  parameters.fd = descriptor;
  grpc_side_->HandleNewConnection(&parameters);
  return true;
}

bool Acceptor::HasRoom() {
  if (connections_.size() < most_connections_) return true;
  if (refusals_until_look_ > 0) {
    --refusals_until_look_;
    return false;
  }
  ForgetEnded();
  if (connections_.size() < most_connections_) return true;
  refusals_until_look_ = kRefusalsBetweenLooks;
  return false;
}

void Acceptor::ForgetEnded() {
  std::erase_if(connections_, [](const Connection& connection) {
    const ino_t inode = InodeOf(connection.descriptor);
    return inode == 0 || inode != connection.inode;
  });
  count_ = connections_.size();
}

}  // namespace holdfast::server
