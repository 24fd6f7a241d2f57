#include "tools/judge/answer_judge.h"

#include <algorithm>

#include "tools/judge/wire_time.h"

namespace holdfast::judge {
namespace {

constexpr int kRevokeIdsMax = 1'000;

}  // namespace

void AnswerJudge::Wrong(const Who& who, CallKind call, std::int64_t at_us, const std::string& what) {
  records_.Report(ViolationKind::kAnswer, at_us, CallKindName(call) + " of " + Name(who) + ": " + what);
}

void AnswerJudge::JudgeTime(const Who& who, CallKind call, bool present, const google::protobuf::Timestamp& time,
                            std::int64_t sent_us, std::int64_t at_us) {
  times_.Hear(CallKindName(call) + " of " + Name(who), present, time, sent_us, at_us);
}

void AnswerJudge::Hear(SessionRecord& session, const google::protobuf::Timestamp& time, std::int64_t sent_us) {
  session.clock->Hear(MicrosOf(time), sent_us);
}

void AnswerJudge::JudgeRefusal(const Who& who, CallKind call, const std::string& session_id, const CallEnd& end,
                               std::int64_t at_us) {
  if (const auto wrong = WrongRejection(call, end)) {
    records_.Report(ViolationKind::kRejection, at_us, CallKindName(call) + " of " + Name(who) + ": " + *wrong);
  }
  SessionRecord* session = records_.Session(session_id);
  if (!end.detail || !session) return;
  const wire::RejectReason reason = end.detail->reason();
  const std::int64_t silent_us = at_us - session->last_renewal_sent_us;
  if (reason == wire::REJECT_REASON_SESSION_EXPIRED && silent_us * 1'002 / 1'000 < session->session_ttl_us) {
    Wrong(who, call, at_us,
          "session " + session->id + " expired " + std::to_string(silent_us) + " µs after a call that renewed it was " +
              "sent, session_ttl is " + std::to_string(session->session_ttl_us) + " µs");
  }
  const WorkerRecord& worker = records_.workers[who.worker];
  if (reason == wire::REJECT_REASON_SESSION_SUPERSEDED &&
      worker.last_registration_sent_us <= session->registered_sent_us) {
    Wrong(who, call, at_us, "session " + session->id + " is superseded, but nobody registered after it");
  }
}

void AnswerJudge::OnRegister(const Who& who, const RegisterAnswered& answered, std::int64_t at_us) {
  if (!answered.end.ok()) {
    JudgeRefusal(who, CallKind::kRegister, "", answered.end, at_us);
    return;
  }
  const wire::RegisterWorkerResponse& answer = answered.response;
  JudgeTime(who, CallKind::kRegister, answer.has_server_time(), answer.server_time(), answered.sent_us, at_us);
  if (answer.session_id().empty()) Wrong(who, CallKind::kRegister, at_us, "session_id is empty");
  if (records_.sessions.contains(answer.session_id())) {
    Wrong(who, CallKind::kRegister, at_us, "session_id " + answer.session_id() + " was used before");
  }
  if (answer.protocol_version() < answered.request.min_protocol_version() ||
      answer.protocol_version() > answered.request.supported_protocol_version()) {
    Wrong(who, CallKind::kRegister, at_us,
          "protocol_version " + std::to_string(answer.protocol_version()) + " was not offered");
  }
  if (answer.session_state() != wire::SESSION_STATE_HANDSHAKING) {
    Wrong(who, CallKind::kRegister, at_us,
          "a session opens in " + wire::SessionState_Name(answer.session_state()) + ", not in handshaking");
  }
  for (const auto* duration : {&answer.session_ttl(), &answer.report_interval(), &answer.max_stale_age(),
                               &answer.ack_timeout(), &answer.runtime_ttl()}) {
    if (LengthOf(*duration) <= 0) Wrong(who, CallKind::kRegister, at_us, "a duration is absent or not above zero");
  }
  if (answer.max_batch() == 0) Wrong(who, CallKind::kRegister, at_us, "max_batch is zero");
  if (answer.log_id().empty()) Wrong(who, CallKind::kRegister, at_us, "log_id is empty");
  if (!log_id_.empty() && answer.log_id() != log_id_) {
    Wrong(who, CallKind::kRegister, at_us, "log_id " + answer.log_id() + " is not " + log_id_ + ", as it was before");
  }
  log_id_ = answer.log_id();
  JudgeEpoch(who, answered, at_us);
  OpenSession(who, answered, at_us);
}

void AnswerJudge::JudgeEpoch(const Who& who, const RegisterAnswered& answered, std::int64_t at_us) {
  WorkerRecord& worker = records_.workers[who.worker];
  const std::uint64_t epoch = answered.response.ownership_epoch();
  // Another registration of this worker on its way at the same time: their order is not known.
  const bool alone = worker.last_registration_sent_us <= answered.sent_us;
  const bool other_instance = !worker.session_ids.empty() && worker.last_instance != who.instance;
  if (alone && (epoch < worker.highest_epoch || (other_instance && epoch == worker.highest_epoch))) {
    Wrong(who, CallKind::kRegister, at_us,
          "ownership_epoch " + std::to_string(epoch) + (other_instance ? " of another instance" : "") +
              ", the worker had " + std::to_string(worker.highest_epoch));
  }
  const std::uint64_t last_epoch = answered.request.last_ownership_epoch();
  if (epoch < last_epoch) {
    Wrong(who, CallKind::kRegister, at_us,
          "ownership_epoch " + std::to_string(epoch) + " is below the " + std::to_string(last_epoch) + " it named");
  }
  worker.highest_epoch = std::max(worker.highest_epoch, epoch);
  worker.last_instance = who.instance;
}

void AnswerJudge::OpenSession(const Who& who, const RegisterAnswered& answered, std::int64_t at_us) {
  const wire::RegisterWorkerResponse& answer = answered.response;
  SessionRecord session;
  session.id = answer.session_id();
  session.who = who;
  session.epoch = answer.ownership_epoch();
  for (const int capability : answered.request.capabilities()) {
    session.takes_deltas = session.takes_deltas || capability == wire::WORKER_CAPABILITY_DELTA;
    session.resolves_secret_refs = session.resolves_secret_refs || capability == wire::WORKER_CAPABILITY_SECRET_REF;
  }
  if (answered.request.has_max_proxies()) session.max_proxies = answered.request.max_proxies();
  session.registered_sent_us = answered.sent_us;
  session.session_ttl_us = LengthOf(answer.session_ttl());
  session.lapse_grace_us = LengthOf(answer.lapse_grace());
  session.last_renewal_sent_us = answered.sent_us;
  session.state_known_us = at_us;
  session.last_outcome_accepted = answer.last_outcome_sequence();
  Hear(session, answer.server_time(), answered.sent_us);
  // No update of an earlier session of this process counts any more.
  for (const std::string& id : records_.workers[who.worker].session_ids) {
    SessionRecord* earlier = records_.Session(id);
    if (earlier && earlier->who == who) earlier->versions.clear();
  }
  records_.workers[who.worker].session_ids.insert(session.id);
  records_.sessions[session.id] = std::move(session);
}

void AnswerJudge::OnAck(const Who& who, const AckAnswered& answered, std::int64_t at_us) {
  if (!answered.end.ok()) {
    JudgeRefusal(who, CallKind::kAck, answered.request.session_id(), answered.end, at_us);
    return;
  }
  const wire::AcknowledgeSnapshotResponse& answer = answered.response;
  JudgeTime(who, CallKind::kAck, answer.has_server_time(), answer.server_time(), answered.sent_us, at_us);
  SessionRecord* session = records_.Session(answered.request.session_id());
  if (!session) return;
  Hear(*session, answer.server_time(), answered.sent_us);
  session->last_renewal_sent_us = std::max(session->last_renewal_sent_us, answered.sent_us);
  JudgeState(*session, CallKind::kAck, answer.session_state(), answered.sent_us, at_us);
  if (answered.request.accepted()) {
    JudgeAccepted(*session, answered, at_us);
    return;
  }
  // Its own version, or an earlier one, is refused now; an older accepted one stays what it was.
  if (!answer.runtime_fenced()) {
    Wrong(who, CallKind::kAck, at_us,
          "version " + std::to_string(answered.request.version()) + " was refused, and the fence is not closed");
  }
  session->fenced = true;
}

void AnswerJudge::JudgeAccepted(SessionRecord& session, const AckAnswered& answered, std::int64_t at_us) {
  const wire::AcknowledgeSnapshotResponse& answer = answered.response;
  const std::uint64_t version = answered.request.version();
  const std::string which = "version " + std::to_string(version);
  if (answer.accepted_version() != version) {
    Wrong(session.who, CallKind::kAck, at_us,
          which + " was acknowledged, accepted_version is " + std::to_string(answer.accepted_version()));
  }
  if (answer.runtime_fenced()) Wrong(session.who, CallKind::kAck, at_us, which + " is accepted, and the fence closed");
  if (version < session.accepted) {
    Wrong(session.who, CallKind::kAck, at_us, which + " is accepted after " + std::to_string(session.accepted));
  }
  const auto known = session.versions.find(version);
  if (known == session.versions.end()) {
    Wrong(session.who, CallKind::kAck, at_us, which + " is accepted, but never came in this session");
  } else if (known->second.checksum != answered.request.checksum()) {
    Wrong(session.who, CallKind::kAck, at_us, which + " is accepted under a checksum that it was not issued with");
  }
  session.accepted = std::max(session.accepted, version);
  session.fenced = false;
  session.acks_sent.erase(session.acks_sent.begin(), session.acks_sent.lower_bound(session.accepted));
  session.versions.erase(session.versions.begin(), session.versions.lower_bound(session.accepted));
}

void AnswerJudge::OnReport(const Who& who, const ReportAnswered& answered, std::int64_t at_us) {
  SessionRecord* session = records_.Session(answered.request.session_id());
  if (!answered.end.ok()) {
    JudgeRefusal(who, CallKind::kReport, answered.request.session_id(), answered.end, at_us);
    return;
  }
  const wire::ReportRuntimeResponse& answer = answered.response;
  const wire::ReportRuntimeRequest& request = answered.request;
  JudgeTime(who, CallKind::kReport, answer.has_server_time(), answer.server_time(), answered.sent_us, at_us);
  if (!session) return;
  Hear(*session, answer.server_time(), answered.sent_us);
  session->last_renewal_sent_us = std::max(session->last_renewal_sent_us, answered.sent_us);
  JudgeState(*session, CallKind::kReport, answer.session_state(), answered.sent_us, at_us);
  if (answer.accepted_sequence() != request.report_sequence()) {
    Wrong(who, CallKind::kReport, at_us,
          "report " + std::to_string(request.report_sequence()) + " is answered with accepted_sequence " +
              std::to_string(answer.accepted_sequence()));
  }
  if (session->fenced || answer.runtime_fenced()) {
    Wrong(who, CallKind::kReport, at_us,
          "report " + std::to_string(request.report_sequence()) + " is accepted behind a closed fence");
  }
  // The worker never has an ACK and a report in flight together, so the accepted version is known.
  if (request.snapshot_version() < session->accepted || !session->acks_sent.contains(request.snapshot_version())) {
    Wrong(who, CallKind::kReport, at_us,
          "report on version " + std::to_string(request.snapshot_version()) + " is accepted, the accepted version is " +
              std::to_string(session->accepted));
  }
  if (answer.revoke_proxy_ids_size() > kRevokeIdsMax) Wrong(who, CallKind::kReport, at_us, "over 1,000 revoked ids");
}

void AnswerJudge::OnOutcomes(const Who& who, const OutcomesAnswered& answered, std::int64_t at_us) {
  SessionRecord* session = records_.Session(answered.request.session_id());
  if (!answered.end.ok()) {
    JudgeRefusal(who, CallKind::kOutcomes, answered.request.session_id(), answered.end, at_us);
    return;
  }
  const wire::ReportOutcomesResponse& answer = answered.response;
  JudgeTime(who, CallKind::kOutcomes, answer.has_server_time(), answer.server_time(), answered.sent_us, at_us);
  if (!session) return;
  Hear(*session, answer.server_time(), answered.sent_us);
  JudgeState(*session, CallKind::kOutcomes, answer.session_state(), answered.sent_us, at_us);
  const std::uint64_t expected = std::max(answered.request.sequence(), session->last_outcome_accepted);
  if (answer.accepted_sequence() != expected) {
    Wrong(who, CallKind::kOutcomes, at_us,
          "batch " + std::to_string(answered.request.sequence()) + " is answered with accepted_sequence " +
              std::to_string(answer.accepted_sequence()) + ", not " + std::to_string(expected));
  }
  session->last_outcome_accepted = std::max(session->last_outcome_accepted, answer.accepted_sequence());
}

void AnswerJudge::OnWatchEnded(const Who& who, const WatchEnded& ended, std::int64_t at_us) {
  if (!ended.end.ok()) JudgeRefusal(who, CallKind::kWatch, ended.session_id, ended.end, at_us);
}

void AnswerJudge::JudgeState(SessionRecord& session, CallKind call, wire::SessionState state, std::int64_t sent_us,
                             std::int64_t at_us) {
  const bool known = state >= wire::SESSION_STATE_HANDSHAKING && state <= wire::SESSION_STATE_CLOSED;
  // Only an answer to a call that was sent after the state was known can contradict it.
  const bool back = sent_us >= session.state_known_us && state < session.state;
  // Nothing to drain before the first positive ACK: such a session is closed at once.
  const bool drained_unused = state == wire::SESSION_STATE_DRAINING && session.acks_sent.empty();
  // A positive ACK makes a handshaking session active.
  const bool not_active = call == CallKind::kAck && session.state == wire::SESSION_STATE_HANDSHAKING &&
                          state == wire::SESSION_STATE_HANDSHAKING && session.accepted != 0;
  if (!known || back || drained_unused || not_active) {
    records_.Report(ViolationKind::kState, at_us,
                    CallKindName(call) + " of " + Name(session.who) + ": session " + session.id + " is " +
                        wire::SessionState_Name(state) + " after " + wire::SessionState_Name(session.state) +
                        " (known since " + std::to_string(session.state_known_us) + " µs, sent at " +
                        std::to_string(sent_us) + " µs)");
  }
  if (known && state > session.state) {
    session.state = state;
    session.state_known_us = at_us;
  }
}

}  // namespace holdfast::judge
