// Outcomes of one session on their way out: one batch outstanding, sent when 1,000 wait or a second has passed.
//
// Internal to src/client, on the scheduler's thread; made with a session and closed with it. A batch keeps its number
// until it is answered, also into the next session; whatever the answer means, it never grows the queue. Losing
// outcomes is allowed, waiting for them is not.

#pragma once

#include <memory>
#include <optional>

#include "client/worker_context.h"

namespace holdfast::client {

class OutcomeLink {
 public:
  // `last_accepted`: the highest batch that the controller knows of this worker.
  OutcomeLink(WorkerContext& context, std::uint64_t last_accepted);
  ~OutcomeLink();

  void Open();
  void Close();
  // Sends what waits unless a batch is outstanding.
  void Flush();

 private:
  void ScheduleFlush(Duration delay);
  bool MakeBatch();
  void Send();
  void OnAnswer(const controlplane::v1::ReportOutcomesRequest& request, const CallResult& result,
                const controlplane::v1::ReportOutcomesResponse& response);
  void OnRefused(const CallResult& result);

  WorkerContext& context_;
  session::Backoff backoff_;
  std::uint32_t batch_limit_;
  bool in_flight_ = false;
  bool waiting_ = false;  // for a retry
  bool closed_ = false;
  Scheduler::TimerId timer_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
