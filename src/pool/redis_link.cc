#include "pool/redis_link.h"

#include <absl/strings/str_cat.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "pool/trouble.h"

namespace holdfast::pool {
namespace {

// Each round gives Redis one script that it lacks; a window has three at most.
constexpr int kMaxScriptRounds = 6;

RedisCommand ToCommand(std::string_view verb, std::string_view script, const ScriptCall& call) {
  RedisCommand command;
  command.reserve(3 + call.keys.size() + call.arguments.size());
  command.emplace_back(verb);
  command.emplace_back(script);
  command.push_back(absl::StrCat(call.keys.size()));
  command.insert(command.end(), call.keys.begin(), call.keys.end());
  command.insert(command.end(), call.arguments.begin(), call.arguments.end());
  return command;
}

}  // namespace

absl::Status RedisLink::Connect(const Deadline& deadline) {
  if (connection_ != nullptr && !connection_->IsStale()) return absl::OkStatus();
  Drop();
  const std::int64_t now = clock_.Micros();
  if (now < next_try_micros_) {
    return absl::Status(last_failure_.code(), absl::StrCat(last_failure_.message(), " (next try in ",
                                                           (next_try_micros_ - now) / 1000 + 1, " ms)"));
  }
  auto found = finder_.FindMaster(deadline);
  if (!found.ok()) {
    last_failure_ = found.status();
    next_try_micros_ = clock_.Micros() + backoff_.NextDelay().count();
    return last_failure_;
  }
  connection_ = *std::move(found);
  has_answered_ = false;
  ++generation_;
  return absl::OkStatus();
}

// A connection that served may be made again at once; one that never did counts as a failed try.
void RedisLink::Drop() {
  if (connection_ == nullptr) return;
  if (!has_answered_) {
    last_failure_ =
        Unreachable(absl::StrCat("Redis at ", connection_->where(), " breaks off before it answers a call"));
    next_try_micros_ = clock_.Micros() + backoff_.NextDelay().count();
  }
  connection_.reset();
}

absl::StatusOr<std::vector<RedisReply>> RedisLink::Send(std::span<const RedisCommand> commands,
                                                        const Deadline& deadline) {
  if (absl::Status status = Connect(deadline); !status.ok()) return status;
  auto replies = connection_->Run(commands, deadline);
  if (!replies.ok()) {
    Drop();
    return replies;
  }
  if (!has_answered_) backoff_.Reset();
  has_answered_ = true;
  return replies;
}

absl::Status RedisLink::FirstError(std::span<const RedisReply> replies) {
  const auto error = std::find_if(replies.begin(), replies.end(), [](const auto& reply) { return reply.is_error(); });
  if (error == replies.end()) return absl::OkStatus();
  const absl::Status status = StatusOfError(*error, connection_->where());
  // It is loading, or a replica by now: look for the master again.
  if (TroubleOf(status) == Trouble::kUnreachable) Drop();
  return status;
}

absl::StatusOr<std::vector<RedisReply>> RedisLink::Run(std::span<const RedisCommand> commands,
                                                       const Deadline& deadline) {
  auto replies = Send(commands, deadline);
  if (!replies.ok()) return replies;
  if (absl::Status status = FirstError(*replies); !status.ok()) return status;
  return replies;
}

// Redis forgets scripts when it starts and when it is told to. A call that it has no script for did nothing, so it and
// those after it go again: the first with its text, which Redis then keeps for the others. Those after it may have been
// answered already, but not done: each waits for the one before.
absl::StatusOr<std::vector<RedisReply>> RedisLink::RunScript(const RedisScript& script,
                                                             std::span<const ScriptCall> calls,
                                                             const Deadline& deadline) {
  std::vector<RedisReply> done;
  for (int round = 0; round < kMaxScriptRounds; ++round) {
    std::vector<RedisCommand> commands;
    for (const ScriptCall& call : calls.subspan(done.size())) {
      const bool with_text = round > 0 && commands.empty();
      const RedisScript& own = call.script != nullptr ? *call.script : script;
      commands.push_back(with_text ? ToCommand("EVAL", own.text, call) : ToCommand("EVALSHA", own.sha1, call));
    }
    auto replies = Send(commands, deadline);
    if (!replies.ok()) return replies;
    const auto missing = std::find_if(replies->begin(), replies->end(), IsNoScript);
    std::move(replies->begin(), missing, std::back_inserter(done));
    if (missing == replies->end()) {
      if (absl::Status status = FirstError(done); !status.ok()) return status;
      return done;
    }
  }
  return Unreachable(absl::StrCat("Redis at ", connection_->where(), " forgets scripts as soon as it has them"));
}

}  // namespace holdfast::pool
