#include "pool/redis_finder.h"

#include <absl/strings/numbers.h>
#include <absl/strings/str_cat.h>

#include <utility>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

// Nothing of ours is under way while a connection is set up: whatever breaks it, no call was taken.
absl::Status AsUnreachable(const absl::Status& status) {
  return IsInDoubt(status) ? Unreachable(std::string(status.message())) : status;
}

absl::StatusOr<RedisReply> Ask(RedisConnection& connection, RedisCommand command, const Deadline& deadline) {
  const RedisCommand commands[] = {std::move(command)};
  auto replies = connection.Run(commands, deadline);
  if (!replies.ok()) return AsUnreachable(replies.status());
  return std::move(replies->front());
}

// Errors of AUTH may repeat what was sent: only their first word is told.
absl::Status Authenticate(RedisConnection& connection, const std::string& user, const Secret& password,
                          const Deadline& deadline) {
  if (password.empty()) return absl::OkStatus();
  RedisCommand command = {"AUTH"};
  if (!user.empty()) command.push_back(user);
  command.push_back(password.Reveal());
  const auto reply = Ask(connection, std::move(command), deadline);
  if (!reply.ok()) return reply.status();
  if (!reply->is_error()) return absl::OkStatus();
  const std::string word = reply->text.substr(0, reply->text.find(' '));
  if (word == "LOADING") return StatusOfError(*reply, connection.where());
  return Denied(absl::StrCat("Redis at ", connection.where(), " refuses the user ", user.empty() ? "default" : user,
                             " with the password that is set (", word, "): correct user and password"));
}

absl::Status Select(RedisConnection& connection, std::uint32_t database, const Deadline& deadline) {
  if (database == 0) return absl::OkStatus();
  const auto reply = Ask(connection, {"SELECT", absl::StrCat(database)}, deadline);
  if (!reply.ok()) return reply.status();
  if (!reply->is_error()) return absl::OkStatus();
  if (absl::Status status = StatusOfError(*reply, connection.where()); TroubleOf(status) != Trouble::kWrongAnswer) {
    return status;
  }
  return WrongAnswer(absl::StrCat("Redis at ", connection.where(), " has no database ", database, ": ", reply->text));
}

absl::Status CheckRole(RedisConnection& connection, const Deadline& deadline) {
  const auto reply = Ask(connection, {"ROLE"}, deadline);
  if (!reply.ok()) return reply.status();
  if (reply->is_error()) return StatusOfError(*reply, connection.where());
  if (!reply->is_array() || reply->elements.empty()) {
    return WrongAnswer(absl::StrCat("Redis at ", connection.where(), " does not say its role"));
  }
  const std::string& role = reply->elements.front().text;
  if (role == "master") return absl::OkStatus();
  return Unreachable(absl::StrCat("Redis at ", connection.where(), " is no master (it says ", role, ")"));
}

}  // namespace

RedisFinder::Opened RedisFinder::FindMaster(const Deadline& deadline) {
  const bool by_sentinel = !settings_.sentinels.empty();
  const auto& places = by_sentinel ? settings_.sentinels : settings_.addresses;
  absl::Status worst;
  std::string all;
  for (std::size_t tried = 0; tried < places.size() && !deadline.IsOver(); ++tried) {
    const RedisAddress& place = places[first_];
    Opened opened = by_sentinel ? AskSentinel(place, deadline) : OpenMaster(place, deadline);
    if (opened.ok()) return opened;
    first_ = (first_ + 1) % places.size();
    // What an operator has to see to outweighs what may pass.
    if (worst.ok() || TroubleOf(worst) == Trouble::kUnreachable) worst = opened.status();
    absl::StrAppend(&all, all.empty() ? "" : "; ", opened.status().message());
  }
  if (worst.ok()) return Unreachable("Redis: no time was left to connect");
  return absl::Status(worst.code(), all);
}

RedisFinder::Opened RedisFinder::OpenMaster(const RedisAddress& address, const Deadline& deadline) const {
  // A sentinel may name any place.
  if (absl::Status status = CheckPlaintext(address, settings_.allow_plaintext); !status.ok()) {
    return Denied(std::string(status.message()));
  }
  const Deadline soon = deadline.AtMost(settings_.connect_timeout);
  Opened opened = RedisConnection::Open(address, soon);
  if (!opened.ok()) return opened;
  RedisConnection& connection = **opened;
  absl::Status status = Authenticate(connection, settings_.user, settings_.password, soon);
  if (status.ok()) status = CheckRole(connection, soon);
  if (status.ok()) status = Select(connection, settings_.database, soon);
  return status.ok() ? std::move(opened) : Opened(status);
}

RedisFinder::Opened RedisFinder::AskSentinel(const RedisAddress& sentinel, const Deadline& deadline) const {
  const Deadline soon = deadline.AtMost(settings_.connect_timeout);
  Opened opened = RedisConnection::Open(sentinel, soon);
  if (!opened.ok()) return opened;
  absl::Status status = Authenticate(**opened, settings_.sentinel_user, settings_.sentinel_password, soon);
  if (!status.ok()) return status;
  const auto reply = Ask(**opened, {"SENTINEL", "get-master-addr-by-name", settings_.sentinel_master}, soon);
  if (!reply.ok()) return reply.status();
  if (reply->is_error()) return StatusOfError(*reply, (*opened)->where());
  RedisAddress master;
  std::uint32_t port = 0;
  if (reply->is_array() && reply->elements.size() == 2 && absl::SimpleAtoi(reply->elements[1].text, &port)) {
    master.host = reply->elements[0].text;
    master.port = static_cast<std::uint16_t>(port);
  }
  if (master.host.empty() || port == 0 || port > 65'535) {
    return Unreachable(
        absl::StrCat("The sentinel at ", (*opened)->where(), " knows no master ", settings_.sentinel_master));
  }
  return OpenMaster(master, deadline);
}

}  // namespace holdfast::pool
