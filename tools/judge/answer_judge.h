// Whether each answer to a call is what the contract allows.
//
// Fed in the order in which the answers came. Judges only what it can prove: an answer that was on its way at the same
// time as another proves nothing about their order. Log time: TimeJudge.

#pragma once

#include <string>

#include "tools/judge/records.h"
#include "tools/judge/rejections.h"
#include "tools/judge/time_judge.h"

namespace holdfast::judge {

class AnswerJudge {
 public:
  AnswerJudge(Records& records, TimeJudge& times) : records_(records), times_(times) {}

  void OnRegister(const Who& who, const RegisterAnswered& answered, std::int64_t at_us);
  void OnAck(const Who& who, const AckAnswered& answered, std::int64_t at_us);
  void OnReport(const Who& who, const ReportAnswered& answered, std::int64_t at_us);
  void OnOutcomes(const Who& who, const OutcomesAnswered& answered, std::int64_t at_us);
  void OnWatchEnded(const Who& who, const WatchEnded& ended, std::int64_t at_us);

 private:
  void Wrong(const Who& who, CallKind call, std::int64_t at_us, const std::string& what);
  // Of a refused call: the table, and whether the session can have come to this end.
  void JudgeRefusal(const Who& who, CallKind call, const std::string& session_id, const CallEnd& end,
                    std::int64_t at_us);
  void JudgeEpoch(const Who& who, const RegisterAnswered& answered, std::int64_t at_us);
  void OpenSession(const Who& who, const RegisterAnswered& answered, std::int64_t at_us);
  void JudgeAccepted(SessionRecord& session, const AckAnswered& answered, std::int64_t at_us);
  void JudgeState(SessionRecord& session, CallKind call, wire::SessionState state, std::int64_t sent_us,
                  std::int64_t at_us);
  void JudgeTime(const Who& who, CallKind call, bool present, const google::protobuf::Timestamp& time,
                 std::int64_t sent_us, std::int64_t at_us);
  static void Hear(SessionRecord& session, const google::protobuf::Timestamp& time, std::int64_t sent_us);

  Records& records_;
  TimeJudge& times_;
  std::string log_id_;
};

}  // namespace holdfast::judge
