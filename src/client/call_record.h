// One call of a client and its end, as its observer is told.

#pragma once

#include <google/protobuf/message.h>

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "client/call_result.h"
#include "client/client_time.h"
#include "client/scheduler.h"
#include "client/transport.h"

namespace holdfast::client {

enum class CallName : std::uint8_t { kRegister, kAcknowledge, kReport, kOutcomes, kWatch };

// "register", "ack", "report", "outcomes", "watch".
constexpr std::string_view CallNameText(CallName name) {
  constexpr std::string_view kTexts[] = {"register", "ack", "report", "outcomes", "watch"};
  return kTexts[static_cast<std::size_t>(name)];
}

// The messages are those of the call by its name, of a worker or of a checker.
struct CallRecord {
  CallName name = CallName::kRegister;
  BootTime sent_at{};
  BootTime answered_at{};
  CallResult result;
  const google::protobuf::Message* request = nullptr;
  const google::protobuf::Message* response = nullptr;  // null for a stream; meaningless unless result.ok()
};

// Wraps `done` so that the observer is told of the call before the client acts on its end.
template <class Observer, class Request, class Response>
Done<Response> Recorded(Observer& observer, const std::shared_ptr<Scheduler>& scheduler, CallName name,
                        const Request& request, Done<Response> done) {
  return [&observer, scheduler, name, request, sent_at = scheduler->Now(), done = std::move(done)](
             const CallResult& result, const Response& response) {
    observer.OnCall({name, sent_at, scheduler->Now(), result, &request, &response});
    done(result, response);
  };
}

}  // namespace holdfast::client
