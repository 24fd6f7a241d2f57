#include "client/task_link.h"

#include <utility>

#include "client/session_hints.h"

namespace holdfast::client {

namespace wire = controlplane::v1;
using session::SessionEventKind;

TaskLink::TaskLink(CheckerContext& context, Events events)
    : context_(context),
      events_(std::move(events)),
      keeper_(context.scheduler, session::Backoff(context.settings.backoff, context.random),
              {.open = [this](CheckerTransport::TaskEvents stream_events) { return Watch(std::move(stream_events)); },
               .on_update = [this](const wire::TaskUpdate& update) { OnUpdate(update); },
               .on_end = [this](const CallResult& result, BootTime opened_at) { OnEnd(result, opened_at); }}) {}

std::unique_ptr<UpdateStream> TaskLink::Watch(CheckerTransport::TaskEvents events) {
  request_.set_checker_id(context_.settings.checker_id);
  request_.set_session_id(context_.session->id);
  context_.observer.OnWatch(request_);
  return context_.transport->Watch(request_, std::move(events));
}

void TaskLink::OnUpdate(const wire::TaskUpdate& update) {
  context_.observer.OnUpdate(update);
  if (update.update_case() == wire::TaskUpdate::UPDATE_NOT_SET) {
    keeper_.OpenAgain(std::nullopt);
    return;
  }
  keeper_.ReadNext();
  // Whatever comes on it, it shows that the stream is attached.
  keeper_.PositiveAck();
  context_.tell({.kind = SessionEventKind::kAckAccepted});
  if (update.has_task()) events_.task(update.task());
  if (update.has_cancel()) events_.cancel(update.cancel().task_id());
  if (update.has_drain()) context_.tell({.kind = SessionEventKind::kDrainTold});
}

void TaskLink::OnEnd(const CallResult& result, BootTime opened_at) {
  context_.observer.OnCall({CallName::kWatch, opened_at, context_.scheduler->Now(), result, &request_, nullptr});
  if (const auto hint = HintOfStreamEnd(result)) return context_.tell_refused(*hint, result);
  keeper_.OpenAgain(RetryAfter(result));
}

}  // namespace holdfast::client
