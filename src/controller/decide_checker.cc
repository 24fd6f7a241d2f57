// Checker sessions: registration, task streams. Contract: "Checkers".

#include <algorithm>

#include "controller/checker_rules.h"
#include "controller/decide.h"
#include "controller/proto_time.h"
#include "controller/rule_constant.h"
#include "controller/session_rules.h"

namespace holdfast {
namespace {

using controlplane::v1::RegisterCheckerRequest;
using controlplane::v1::RegisterCheckerResponse;

constexpr std::uint32_t kProtocolVersion = 1;
constexpr std::uint32_t kMostAtOnce = RuleConstant<std::uint32_t>(100'000, 1);  // tasks of one checker

bool SpeaksOurVersion(const RegisterCheckerRequest& request) {
  const std::uint32_t least =
      request.min_protocol_version() != 0 ? request.min_protocol_version() : request.supported_protocol_version();
  return least <= kProtocolVersion && kProtocolVersion <= request.supported_protocol_version();
}

CheckerOpened Open(CheckerKey key, const log::v1::RegisterChecker& input, const DecisionPoint& point) {
  const RegisterCheckerRequest& request = input.request();
  CheckerOpened opened;
  opened.checker = key;
  opened.checker_id = CheckerId(request.checker_id());
  opened.session_id = SessionId(input.session_id());
  opened.instance_id = InstanceId(request.instance_id());
  opened.zone = request.zone();
  opened.max_concurrency = std::min(request.max_concurrency(), kMostAtOnce);
  for (const int level : request.levels()) opened.levels |= LevelBit(static_cast<CheckLevel>(level));
  for (const int capability : request.capabilities()) opened.capabilities |= 1u << capability;
  opened.protocol_version = kProtocolVersion;
  opened.reconnect_attempt = request.reconnect_attempt();
  opened.software_version = request.software_version();
  opened.principal = std::string(point.principal);
  return opened;
}

RegisterCheckerResponse Answer(const ControllerState& state, const CheckerOpened& opened, LogTime now) {
  RegisterCheckerResponse reply;
  reply.set_session_id(opened.session_id.value());
  PutDuration(state.settings().session_ttl, reply.mutable_session_ttl());
  PutDuration(state.settings().report_interval, reply.mutable_report_interval());
  reply.set_protocol_version(opened.protocol_version);
  PutTime(now, reply.mutable_server_time());
  reply.set_log_id(state.run().log_id_text());
  reply.set_max_batch(static_cast<std::uint32_t>(state.settings().max_batch));
  reply.set_session_state(controlplane::v1::SESSION_STATE_HANDSHAKING);
  return reply;
}

}  // namespace

Decision DecideRegisterChecker(const ControllerState& state, const log::v1::RegisterChecker& input,
                               const DecisionPoint& point) {
  if (!SpeaksOurVersion(input.request())) {
    const std::string version = std::to_string(kProtocolVersion);
    return {{},
            Rejection{RejectReason::kProtocolVersion,
                      "no protocol version that both ends speak; use one of min..max",
                      "supported_protocol_version",
                      {{"min", version}, {"max", version}}}};
  }
  Decision decision;
  const CheckerRow* checker = state.checkers().Find(input.request().checker_id());
  if (checker != nullptr && checker->open()) {
    CloseChecker(state, *checker, CloseReason::kSuperseded, RejectReason::kSessionSuperseded, point.now,
                 decision.events);
  }
  const CheckerKey key = checker != nullptr ? checker->opened.checker : state.checkers().next_key();
  CheckerOpened opened = Open(key, input, point);
  decision.reply = Answer(state, opened, point.now);
  decision.events.emplace_back(std::move(opened));
  return decision;
}

Decision DecideWatchTasks(const ControllerState& state, const log::v1::WatchTasks& input, const DecisionPoint&) {
  const CheckerLookup lookup = FindCheckerSession(state, input.request().checker_id(), input.request().session_id());
  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};
  const CheckerRow& checker = *std::get<const CheckerRow*>(lookup);
  const CheckerKey key = checker.opened.checker;
  Decision decision;
  if (checker.attached()) {
    decision.events.emplace_back(CheckerDetached{key, checker.stream, RejectReason::kStreamReplaced});
  }
  decision.events.emplace_back(CheckerAttached{key, StreamId(input.stream())});
  decision.reply = WatchAccepted{StreamId(input.stream())};
  return decision;
}

Decision DecideTaskStreamEnded(const ControllerState& state, const log::v1::TaskStreamEnded& input,
                               const DecisionPoint&) {
  const CheckerRow* checker = state.checkers().Find(input.checker_id());
  if (checker == nullptr || checker->stream != StreamId(input.stream())) return {};
  return {{CheckerDetached{checker->opened.checker, checker->stream, RejectReason::kUnspecified}}, {}};
}

}  // namespace holdfast
