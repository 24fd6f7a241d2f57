#include "server/grpc_server_listener.h"

#include <absl/strings/str_cat.h>
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace holdfast::server {
namespace {

constexpr int kBacklog = 4096;  // the kernel cuts it to its own bound

struct SocketAddress {
  sockaddr_storage storage{};
  socklen_t size = 0;
  sockaddr* get() { return reinterpret_cast<sockaddr*>(&storage); }
};

SocketAddress ToSocketAddress(const ListenAddress& address) {
  SocketAddress out;
  if (address.is_unix()) {
    auto* local = reinterpret_cast<sockaddr_un*>(&out.storage);
    local->sun_family = AF_UNIX;
    std::memcpy(local->sun_path, address.path.data(), address.path.size());
    out.size = sizeof(sockaddr_un);
    return out;
  }
  auto* four = reinterpret_cast<sockaddr_in*>(&out.storage);
  if (inet_pton(AF_INET, address.host.c_str(), &four->sin_addr) == 1) {
    four->sin_family = AF_INET;
    four->sin_port = htons(address.port);
    out.size = sizeof(sockaddr_in);
    return out;
  }
  auto* six = reinterpret_cast<sockaddr_in6*>(&out.storage);
  inet_pton(AF_INET6, address.host.c_str(), &six->sin6_addr);
  six->sin6_family = AF_INET6;
  six->sin6_port = htons(address.port);
  out.size = sizeof(sockaddr_in6);
  return out;
}

absl::Status BindError(const ListenAddress& address, int error) {
  if (error == EADDRINUSE) {
    return absl::AlreadyExistsError(absl::StrCat("cannot listen on ", address.text(),
                                                 ": another program does. Stop it, or name another address with "
                                                 "--listen (port 0: any free one)."));
  }
  const std::string text = absl::StrCat("cannot listen on ", address.text(), ": ", std::strerror(error),
                                        ". Name another address with --listen.");
  return error == EACCES ? absl::PermissionDeniedError(text) : absl::InternalError(text);
}

// A socket file that nobody serves is what a killed process leaves behind.
void RemoveStaleSocket(const ListenAddress& address) {
  struct stat file {};
  if (stat(address.path.c_str(), &file) != 0 || !S_ISSOCK(file.st_mode)) return;
  const int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (probe < 0) return;
  SocketAddress name = ToSocketAddress(address);
  const bool served = connect(probe, name.get(), name.size) == 0 || errno != ECONNREFUSED;
  close(probe);
  if (!served) unlink(address.path.c_str());
}

std::uint16_t BoundPort(int descriptor) {
  SocketAddress name;
  name.size = sizeof(name.storage);
  if (getsockname(descriptor, name.get(), &name.size) != 0) return 0;
  if (name.storage.ss_family == AF_INET) return ntohs(reinterpret_cast<sockaddr_in*>(&name.storage)->sin_port);
  return ntohs(reinterpret_cast<sockaddr_in6*>(&name.storage)->sin6_port);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Listener>> Listener::Bind(const ListenAddress& address) {
  if (address.is_unix()) RemoveStaleSocket(address);
  SocketAddress name = ToSocketAddress(address);
  const int descriptor = socket(name.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (descriptor < 0) return BindError(address, errno);
  const int on = 1;  // a port whose old connections linger is free all the same
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(descriptor, name.get(), name.size) != 0) {
    const int error = errno;
    close(descriptor);
    return BindError(address, error);
  }
  ListenAddress bound = address;
  if (!bound.is_unix()) bound.port = BoundPort(descriptor);
  return std::unique_ptr<Listener>(new Listener(descriptor, std::move(bound)));
}

Listener::~Listener() {
  close(descriptor_);
  if (address_.is_unix()) unlink(address_.path.c_str());
}

void Listener::Refuse() { shutdown(descriptor_, SHUT_RDWR); }

absl::Status Listener::Listen() {
  if (listen(descriptor_, kBacklog) != 0) return BindError(address_, errno);
  return absl::OkStatus();
}

}  // namespace holdfast::server
