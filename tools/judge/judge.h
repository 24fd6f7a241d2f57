// The judge of a fleet: hears what every simulated worker and client was told and did, and says what broke the
// contract.
//
// Called by the fleet with happenings in the order of their instants (OrderedFeed sorts them), one thread at a time.
// It sees the controller only from outside, computes checksums and windows with code of its own, and shares no rule
// with what it judges. It reports what it can prove; each violation is given once, with all its numbers.
// Finds: two holders of one address, a worker's own misuse, checksums, updates, answers, states, log time, rejections.

#pragma once

#include <functional>

#include "tools/judge/answer_judge.h"
#include "tools/judge/client_judge.h"
#include "tools/judge/update_judge.h"
#include "tools/judge/window_judge.h"

namespace holdfast::judge {

class Judge {
 public:
  explicit Judge(std::function<void(Violation)> report);

  // Requires: not before the happening heard last.
  void Hear(const Happening& happening);

  // What was judged so far: a run that judged nothing proves nothing.
  struct Counts {
    std::uint64_t happenings = 0;
    std::uint64_t updates = 0;
    std::uint64_t answers = 0;
    std::uint64_t holder_comparisons = 0;
    std::uint64_t extractions = 0;
  };
  Counts counts() const;

 private:
  void On(const Happening& happening, const RegisterSent& sent);
  void On(const Happening& happening, const RegisterAnswered& answered);
  void On(const Happening& happening, const AckSent& sent);
  void On(const Happening& happening, const AckAnswered& answered);
  void On(const Happening& happening, const ReportAnswered& answered);
  void On(const Happening& happening, const OutcomesAnswered& answered);
  void On(const Happening& happening, const WatchOpened& opened);
  void On(const Happening& happening, const WatchEnded& ended);
  void On(const Happening& happening, const UpdateReceived& received);
  void On(const Happening& happening, const UpdateTaken& taken);
  void On(const Happening& happening, const UseBegan& began);
  void On(const Happening& happening, const UseEnded& ended);
  void On(const Happening& happening, const Died& died);
  void On(const Happening& happening, const ExtractAnswered& answered);
  void On(const Happening& happening, const ReleaseSent& sent);
  void On(const Happening& happening, const ReleaseAnswered& answered);

  Records records_;
  TimeJudge times_;
  AnswerJudge answers_;
  UpdateJudge updates_;
  ClientWindows client_windows_;
  WindowJudge windows_;
  ClientJudge clients_;
  Counts counts_;
};

}  // namespace holdfast::judge
