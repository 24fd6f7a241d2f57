// Observations of one session on their way out: one report outstanding, at once when something waits.
//
// Internal to src/client, on the scheduler's thread; made with a session and closed with it. Where nothing waits, an
// empty report each report_interval is the heartbeat. A report without an answer is repeated word for word, under its
// number; a refused one is answered as the contract's table says. What was not accepted when the session ends is lost,
// and said to be. Does not decide about the session: it tells.

#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "client/checker_context.h"

namespace holdfast::client {

class ObservationLink {
 public:
  struct Load {
    std::uint32_t running = 0;
    std::uint64_t waiting = 0;
  };
  struct Events {
    std::function<Load()> load;      // what a report says of the tasks under way
    std::function<void()> attached;  // the controller says that this session's stream is attached
  };

  ObservationLink(CheckerContext& context, Events events);
  ~ObservationLink();

  void Open();
  // No more calls; what was not accepted is lost. Destroying it says nothing to anybody.
  void Close();

  // Waits for the next report. Several may be added before Send.
  void Add(controlplane::v1::HealthObservation observation);
  // A report of what waits, unless one is outstanding.
  void Send();
  // A report as soon as none is outstanding, whether or not anything waits.
  void ReportNow();
  // An observation of this task is under way.
  bool Holds(const std::string& task_id) const { return held_.contains(task_id); }

 private:
  void ScheduleReport(Duration delay);
  controlplane::v1::ReportObservationsRequest MakeReport();
  void Call();
  void OnAnswer(const CallResult& result, const controlplane::v1::ReportObservationsResponse& response);
  void OnAccepted(const controlplane::v1::ReportObservationsResponse& response);
  void OnRefused(const CallResult& result);
  // What the refused report carried goes out under another number.
  void PutBack();
  void GiveUp();
  void Lose(const controlplane::v1::HealthObservation& observation, ObservationLoss loss);

  CheckerContext& context_;
  const Events events_;
  std::size_t batch_limit_;
  std::deque<controlplane::v1::HealthObservation> waiting_;
  std::optional<controlplane::v1::ReportObservationsRequest> outstanding_;  // until it was answered
  std::set<std::string> held_;                                              // task ids of both
  std::uint64_t sequence_ = 0;
  bool in_flight_ = false;
  bool due_ = false;        // a report even where nothing waits
  bool held_back_ = false;  // until the timer
  bool closed_ = false;
  Scheduler::TimerId timer_ = 0;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::client
