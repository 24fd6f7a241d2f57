#include "pool/redis_scan.h"

#include <absl/strings/str_cat.h>

#include <utility>
#include <vector>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

struct Found {
  std::string cursor;  // empty: the end
  std::vector<RedisReply> elements;
};

absl::StatusOr<Found> Step(RedisLink& link, RedisCommand command, const Deadline& deadline) {
  const RedisCommand commands[] = {std::move(command)};
  auto replies = link.Run(commands, deadline);
  if (!replies.ok()) return replies.status();
  RedisReply& reply = replies->front();
  if (!reply.is_array() || reply.elements.size() != 2) return WrongAnswer("Redis: a scan answers without a cursor");
  std::string& cursor = reply.elements[0].text;
  return Found{cursor == "0" ? std::string() : std::move(cursor), std::move(reply.elements[1].elements)};
}

std::string CursorOf(const ScanRequest& request) { return request.cursor.empty() ? "0" : request.cursor; }

// The ids behind the keys that begin with `prefix`.
absl::StatusOr<Found> StepOverKeys(RedisLink& link, const std::string& prefix, const ScanRequest& request,
                                   const Deadline& deadline) {
  auto found =
      Step(link, {"SCAN", CursorOf(request), "MATCH", absl::StrCat(prefix, "*"), "COUNT", absl::StrCat(request.limit)},
           deadline);
  if (!found.ok()) return found;
  for (RedisReply& key : found->elements) key.text.erase(0, prefix.size());
  return found;
}

// The replies to the commands of each id, one after the other.
absl::StatusOr<std::vector<RedisReply>> ReadRows(RedisLink& link, const std::vector<RedisReply>& ids,
                                                 auto&& commands_of, const Deadline& deadline) {
  std::vector<RedisCommand> commands;
  for (const RedisReply& id : ids) {
    for (RedisCommand& command : commands_of(id.text)) commands.push_back(std::move(command));
  }
  if (commands.empty()) return std::vector<RedisReply>();
  return link.Run(commands, deadline);
}

bool IsGone(const RedisReply& fields) { return fields.is_array() && fields.elements.empty(); }

absl::StatusOr<ScanSlice> ScanAddresses(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                        const Deadline& deadline) {
  const auto found = StepOverKeys(link, keys.Address(""), request, deadline);
  if (!found.ok()) return found.status();
  const auto commands_of = [&](const std::string& id) {
    return std::vector<RedisCommand>{{"HGETALL", keys.Address(id)}, {"ZSCORE", keys.Available(), id}};
  };
  const auto replies = ReadRows(link, found->elements, commands_of, deadline);
  if (!replies.ok()) return replies.status();
  ScanSlice slice;
  slice.cursor = found->cursor;
  for (std::size_t i = 0; i < found->elements.size(); ++i) {
    const std::string& id = found->elements[i].text;
    if (IsGone((*replies)[2 * i])) continue;
    auto row = DecodeAddress(id, (*replies)[2 * i]);
    if (!row) {
      slice.unreadable.push_back(id);
      continue;
    }
    row->available_until = DecodeScore((*replies)[2 * i + 1]);
    slice.addresses.push_back(*std::move(row));
  }
  return slice;
}

absl::StatusOr<ScanSlice> ScanProxies(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                      const Deadline& deadline) {
  const auto found = StepOverKeys(link, keys.Proxy(""), request, deadline);
  if (!found.ok()) return found.status();
  const auto commands_of = [&](const std::string& id) {
    return std::vector<RedisCommand>{{"HGETALL", keys.Proxy(id)}};
  };
  const auto replies = ReadRows(link, found->elements, commands_of, deadline);
  if (!replies.ok()) return replies.status();
  ScanSlice slice;
  slice.cursor = found->cursor;
  for (std::size_t i = 0; i < found->elements.size(); ++i) {
    const std::string& id = found->elements[i].text;
    if (IsGone((*replies)[i])) continue;
    auto row = DecodeProxy(id, (*replies)[i]);
    if (row) slice.proxies.push_back(*std::move(row));
    if (!row) slice.unreadable.push_back(id);
  }
  return slice;
}

absl::StatusOr<ScanSlice> ScanSessions(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                       const Deadline& deadline) {
  const auto found = StepOverKeys(link, keys.Session(""), request, deadline);
  if (!found.ok()) return found.status();
  const auto commands_of = [&](const std::string& worker) {
    return std::vector<RedisCommand>{{"HGETALL", keys.Session(worker)}, {"PTTL", keys.Session(worker)}};
  };
  const auto replies = ReadRows(link, found->elements, commands_of, deadline);
  if (!replies.ok()) return replies.status();
  ScanSlice slice;
  slice.cursor = found->cursor;
  for (std::size_t i = 0; i < found->elements.size(); ++i) {
    const std::string& worker = found->elements[i].text;
    const std::int64_t ttl_ms = (*replies)[2 * i + 1].integer;
    if (IsGone((*replies)[2 * i]) || ttl_ms == 0) continue;
    auto row = DecodeSession(worker, (*replies)[2 * i]);
    if (!row || ttl_ms < 0) {  // without an end it was not written by the store
      slice.unreadable.push_back(worker);
      continue;
    }
    row->ttl = std::chrono::milliseconds(ttl_ms);
    slice.sessions.push_back(*std::move(row));
  }
  return slice;
}

absl::StatusOr<ScanSlice> ScanAvailable(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                        const Deadline& deadline) {
  const auto found =
      Step(link, {"ZSCAN", keys.Available(), CursorOf(request), "COUNT", absl::StrCat(request.limit)}, deadline);
  if (!found.ok()) return found.status();
  ScanSlice slice;
  slice.cursor = found->cursor;
  for (std::size_t i = 0; i + 1 < found->elements.size(); i += 2) {
    const auto usable_until = DecodeScore(found->elements[i + 1]);
    if (usable_until) slice.available.push_back({found->elements[i].text, *usable_until});
    if (!usable_until) slice.unreadable.push_back(found->elements[i].text);
  }
  return slice;
}

absl::StatusOr<ScanSlice> ScanOwned(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                    const Deadline& deadline) {
  const bool owners = request.kind == ScanKind::kOwners;
  auto found =
      owners
          ? StepOverKeys(link, keys.Owned(""), request, deadline)
          : Step(link, {"SSCAN", keys.Owned(request.worker), CursorOf(request), "COUNT", absl::StrCat(request.limit)},
                 deadline);
  if (!found.ok()) return found.status();
  ScanSlice slice;
  slice.cursor = found->cursor;
  for (RedisReply& element : found->elements) {
    (owners ? slice.owners : slice.owned).push_back(std::move(element.text));
  }
  return slice;
}

}  // namespace

absl::StatusOr<ScanSlice> ScanRedis(RedisLink& link, const RedisKeys& keys, const ScanRequest& request,
                                    const Deadline& deadline) {
  switch (request.kind) {
    case ScanKind::kAddresses:
      return ScanAddresses(link, keys, request, deadline);
    case ScanKind::kProxies:
      return ScanProxies(link, keys, request, deadline);
    case ScanKind::kSessions:
      return ScanSessions(link, keys, request, deadline);
    case ScanKind::kAvailable:
      return ScanAvailable(link, keys, request, deadline);
    case ScanKind::kOwners:
    case ScanKind::kOwned:
      return ScanOwned(link, keys, request, deadline);
  }
  return WrongRequest("A scan of an unknown kind");
}

}  // namespace holdfast::pool
