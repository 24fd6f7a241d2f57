#include "pool/redis_connection.h"

#include <absl/strings/str_cat.h>
#include <fcntl.h>
#include <hiredis/hiredis.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

// At least a millisecond: nothing at all would mean for ever.
timeval ToTimeval(Duration duration) {
  const std::int64_t micros = std::max<std::int64_t>(duration.count(), 1'000);
  return {.tv_sec = static_cast<time_t>(micros / 1'000'000), .tv_usec = static_cast<suseconds_t>(micros % 1'000'000)};
}

// Whether the socket is ready within the time; an error counts as ready, what is done next meets it.
bool AwaitReady(int descriptor, short events, Duration patience) {
  pollfd wait{.fd = descriptor, .events = events, .revents = 0};
  const auto millis = std::chrono::ceil<std::chrono::milliseconds>(patience).count();
  while (true) {
    const int ready = poll(&wait, 1, static_cast<int>(std::min<std::int64_t>(millis, 1 << 30)));
    if (ready >= 0 || errno != EINTR) return ready != 0;
  }
}

// As the Redis protocol writes a command.
void AppendCommand(const RedisCommand& command, std::string& bytes) {
  absl::StrAppend(&bytes, "*", command.size(), "\r\n");
  for (const std::string& argument : command) absl::StrAppend(&bytes, "$", argument.size(), "\r\n", argument, "\r\n");
}

}  // namespace

absl::StatusOr<std::unique_ptr<RedisConnection>> RedisConnection::Open(const RedisAddress& address,
                                                                       const Deadline& deadline) {
  const std::string where = ToText(address);
  if (deadline.IsOver()) return Unreachable(absl::StrCat("Redis at ", where, ": no time was left to connect"));
  const timeval patience = ToTimeval(deadline.Left());
  redisContext* context = address.unix_path.empty()
                              ? redisConnectWithTimeout(address.host.c_str(), address.port, patience)
                              : redisConnectUnixWithTimeout(address.unix_path.c_str(), patience);
  if (context == nullptr) return Unreachable("Redis: no memory for a connection");
  std::unique_ptr<RedisConnection> connection(new RedisConnection(context, where));
  if (context->err != 0) {
    return Unreachable(absl::StrCat("Redis at ", where, " cannot be reached: ", context->errstr));
  }
  fcntl(context->fd, F_SETFD, FD_CLOEXEC);
  return connection;
}

RedisConnection::RedisConnection(redisContext* context, std::string where)
    : context_(context), where_(std::move(where)) {}

RedisConnection::~RedisConnection() { redisFree(context_); }

absl::StatusOr<std::vector<RedisReply>> RedisConnection::Run(std::span<const RedisCommand> commands,
                                                             const Deadline& deadline) {
  if (deadline.IsOver()) return Unreachable(absl::StrCat("Redis at ", where_, ": no time was left, nothing was sent"));
  std::string bytes;
  for (const RedisCommand& command : commands) AppendCommand(command, bytes);
  if (absl::Status status = Send(bytes, deadline); !status.ok()) return status;
  std::vector<RedisReply> replies;
  replies.reserve(commands.size());
  for (std::size_t i = 0; i < commands.size(); ++i) {
    absl::StatusOr<RedisReply> reply = Read(deadline);
    if (!reply.ok()) return reply.status();
    replies.push_back(*std::move(reply));
  }
  return replies;
}

// Not hiredis' own: it raises SIGPIPE where the other end has hung up.
absl::Status RedisConnection::Send(std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const ssize_t sent = send(context_->fd, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      if (!AwaitReady(context_->fd, POLLOUT, deadline.Left())) {
        return TimedOut(absl::StrCat("Redis at ", where_, " did not take the call in time"));
      }
    } else if (errno != EINTR) {
      return CutOff(absl::StrCat("Redis at ", where_, " broke off: ", std::strerror(errno)));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<RedisReply> RedisConnection::Read(const Deadline& deadline) {
  while (true) {
    void* parsed = nullptr;
    if (redisGetReplyFromReader(context_, &parsed) != REDIS_OK) {
      return WrongAnswer(absl::StrCat("Redis at ", where_, " does not speak its protocol: ", context_->errstr));
    }
    if (parsed != nullptr) {
      RedisReply reply = FromHiredis(*static_cast<redisReply*>(parsed));
      freeReplyObject(parsed);
      return reply;
    }
    if (!AwaitReady(context_->fd, POLLIN, deadline.Left())) {
      return TimedOut(absl::StrCat("Redis at ", where_, " did not answer in time"));
    }
    if (redisBufferRead(context_) != REDIS_OK) {
      return CutOff(absl::StrCat("Redis at ", where_, " broke off before it answered: ", context_->errstr));
    }
  }
}

bool RedisConnection::IsStale() const { return AwaitReady(context_->fd, POLLIN, Duration(0)); }

}  // namespace holdfast::pool
