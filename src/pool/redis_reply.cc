#include "pool/redis_reply.h"

#include <absl/strings/str_cat.h>
#include <hiredis/hiredis.h>

#include <algorithm>
#include <iterator>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

// It cannot take a write at the moment, and did not.
constexpr std::string_view kNotNow[] = {"LOADING", "READONLY",   "MASTERDOWN",  "BUSY",
                                        "MISCONF", "NOREPLICAS", "CLUSTERDOWN", "OOM"};
constexpr std::string_view kNotPermitted[] = {"NOAUTH", "WRONGPASS", "NOPERM"};

// Errors inside a script carry the word of their cause at the front as well.
bool BeginsWithOneOf(const std::string& text, auto& words) {
  const std::string_view first(text.data(), std::min(text.find(' '), text.size()));
  return std::find(std::begin(words), std::end(words), first) != std::end(words);
}

}  // namespace

RedisReply FromHiredis(const redisReply& reply) {
  RedisReply result;
  switch (reply.type) {
    case REDIS_REPLY_STRING:
    case REDIS_REPLY_STATUS:
      result.kind = RedisReply::Kind::kText;
      result.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_ERROR:
      result.kind = RedisReply::Kind::kError;
      result.text.assign(reply.str, reply.len);
      break;
    case REDIS_REPLY_INTEGER:
      result.kind = RedisReply::Kind::kInteger;
      result.integer = reply.integer;
      break;
    case REDIS_REPLY_ARRAY:
      result.kind = RedisReply::Kind::kArray;
      result.elements.reserve(reply.elements);
      for (std::size_t i = 0; i < reply.elements; ++i) result.elements.push_back(FromHiredis(*reply.element[i]));
      break;
    default:
      break;
  }
  return result;
}

bool IsNoScript(const RedisReply& reply) { return reply.is_error() && reply.text.starts_with("NOSCRIPT"); }

absl::Status StatusOfError(const RedisReply& reply, const std::string& where) {
  const std::string what = absl::StrCat("Redis at ", where, " answered: ", reply.text);
  if (BeginsWithOneOf(reply.text, kNotNow)) return Unreachable(what);
  if (BeginsWithOneOf(reply.text, kNotPermitted)) {
    return Denied(absl::StrCat(what, ". See user, password and the rights of that user (docs/pool_store.md)"));
  }
  return WrongAnswer(absl::StrCat(what, ". Rebuild the store if its keys were changed by hand"));
}

}  // namespace holdfast::pool
