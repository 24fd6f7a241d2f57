// The store that extraction goes through: what it is found to be, and when it may be used. One of another log, or with
// more than this one knows, may hold what nobody here remembers to have given: nothing is given until that can be over
// and an operator has said that it is ours. Design: ownership.md "Time and recovery".

#include <absl/container/btree_map.h>
#include <absl/strings/str_cat.h>

#include <string>

#include "controller/decide.h"
#include "controller/extraction_rules.h"
#include "controller/handover.h"
#include "controller/rule_constant.h"
#include "controller/validate_text.h"
#include "controller/wait_rules.h"

namespace holdfast {
namespace {

constexpr std::size_t kReasonBytes = RuleConstant<std::size_t>(1'024, 16);  // of a reason, kept in the log

// No client has such an id: what the store does not name belongs to nobody who could give it back.
constexpr char kUnknownClient[] = "(unknown)";

bool Stands(const ControllerState& state, AlarmKind kind) { return state.run().alarms().contains({kind, ""}); }

void Raise(const ControllerState& state, AlarmKind kind, std::string detail, std::vector<Event>& events) {
  const auto alarm = state.run().alarms().find({kind, ""});
  if (alarm != state.run().alarms().end() && alarm->second.detail == detail) return;
  events.emplace_back(AlarmRaised{kind, "", std::move(detail)});
}

void Clear(const ControllerState& state, AlarmKind kind, std::vector<Event>& events) {
  if (Stands(state, kind)) events.emplace_back(AlarmCleared{kind, ""});
}

PoolStoreVerdict VerdictOn(const ControllerState& state, const log::v1::PoolStoreSeen& seen, Sequence here) {
  if (seen.log_id().empty()) return PoolStoreVerdict::kBehind;
  if (seen.log_id() != state.run().log_id_text()) return PoolStoreVerdict::kForeign;
  if (seen.applied_sequence() >= here.value()) return PoolStoreVerdict::kAhead;
  return seen.incomplete() ? PoolStoreVerdict::kBehind : PoolStoreVerdict::kUsable;
}

std::string WhyNotOurs(PoolStoreVerdict verdict, const log::v1::PoolStoreSeen& seen, Sequence here) {
  const char* rest = "; nothing is granted or extracted until `holdfast pool adopt`";
  if (verdict == PoolStoreVerdict::kForeign) return absl::StrCat("the pool store is of log ", seen.log_id(), rest);
  return absl::StrCat("the pool store has applied sequence ", seen.applied_sequence(), " of this log, which stands at ",
                      here.value(), ": what came after that is lost", rest);
}

// A store that shows a log lost what it had, or was left behind.
bool IsWorthAnAlarm(const ControllerState& state, const log::v1::PoolStoreSeen& seen) {
  return !seen.log_id().empty() || state.pool_store().usable();
}

// What the store shows to be a client's stays so until its end, unless somebody has it here: from a worker it is asked
// back.
void Adopt(const ControllerState& state, const log::v1::AdoptPool::Extraction& shown, ExtractionKey key,
           std::vector<Event>& events, absl::btree_map<AddressKey, RevokeReason>& held) {
  ExtractionPrepared prepared;
  ProxiesExtracted extracted;
  for (const std::string& text : shown.addresses()) {
    const AddressKey address = state.pool().FindAddress(text);
    if (address.value() == 0) continue;
    const HoldRow& hold = state.ownership().hold(address);
    const bool is_new = held.insert({address, RevokeReason::kReclaim}).second;
    if (!is_new || hold.state != OwnershipState::kUnowned || hold.proxies.empty()) continue;
    extracted.addresses.push_back(address);
    prepared.counts.push_back(static_cast<std::uint32_t>(hold.proxies.size()));
    for (const ProxyBrief& brief : hold.proxies) {
      extracted.proxies.push_back(brief.proxy);
      extracted.specs.push_back(*brief.spec);
    }
  }
  if (extracted.addresses.empty()) return;
  prepared.extraction = extracted.extraction = key;
  prepared.extraction_id = extracted.extraction_id = ExtractionId(shown.extraction_id());
  prepared.client_id = extracted.client_id = ClientId(shown.client_id().empty() ? kUnknownClient : shown.client_id());
  prepared.addresses = extracted.addresses;
  prepared.proxies = extracted.proxies;
  prepared.need = prepared.requested = extracted.addresses.size();
  prepared.adopted = true;
  extracted.extracted_until = LogTimeFromMicros(shown.extracted_until());
  extracted.ends_at = LogTimeFromMicros(shown.ends_at());
  prepared.deadline = extracted.ends_at;
  extracted.end_reason = EndReason::kHoldOver;
  events.emplace_back(std::move(prepared));
  events.emplace_back(std::move(extracted));
}

void AdoptAll(const ControllerState& state, const log::v1::AdoptPool& input, const DecisionPoint& point,
              std::vector<Event>& events) {
  ExtractionKey next = state.extractions().next();
  absl::btree_map<AddressKey, RevokeReason> held;
  absl::btree_map<std::string, bool> taken;
  for (const log::v1::AdoptPool::Extraction& shown : input.extractions()) {
    const bool over = IsOver(LogTimeFromMicros(shown.ends_at()), point.now);
    const bool known = state.extractions().Find(shown.extraction_id()).value() != 0;
    if (over || known || !taken.insert({shown.extraction_id(), true}).second) continue;
    const std::size_t before = events.size();
    Adopt(state, shown, next, events, held);
    if (events.size() > before) next = Next(next);
  }
  RevokeAddresses(state, held, {point.now + state.settings().drain_grace, point.principal}, events);
}

}  // namespace

Decision DecidePoolStoreSeen(const ControllerState& state, const log::v1::PoolStoreSeen& input,
                             const DecisionPoint& point) {
  Decision decision;
  const PoolStoreVerdict verdict = VerdictOn(state, input, point.sequence);
  decision.events.emplace_back(PoolStoreJudged{verdict, input.log_id(), Sequence(input.applied_sequence())});
  if (verdict == PoolStoreVerdict::kForeign || verdict == PoolStoreVerdict::kAhead) {
    Raise(state, AlarmKind::kPoolForeign, WhyNotOurs(verdict, input, point.sequence), decision.events);
    if (!state.pool_store().must_be_adopted()) {
      StartWait(state.settings(), WaitReason::kPoolForeign, point.now, decision.events);
    }
    return decision;
  }
  Clear(state, AlarmKind::kPoolForeign, decision.events);
  if (verdict == PoolStoreVerdict::kUsable) Clear(state, AlarmKind::kPoolBehind, decision.events);
  if (verdict == PoolStoreVerdict::kBehind && IsWorthAnAlarm(state, input)) {
    Raise(state, AlarmKind::kPoolBehind,
          "the pool store has lost rows or was left behind; nothing is extracted until it is written anew",
          decision.events);
  }
  return decision;
}

Decision DecidePoolStoreWritten(const ControllerState& state, const log::v1::PoolStoreWritten& input,
                                const DecisionPoint&) {
  if (state.pool_store().must_be_adopted()) return {};  // it was written before that was known
  Decision decision;
  decision.events.emplace_back(PoolResynced{Sequence(input.applied_sequence()), input.proxies()});
  Clear(state, AlarmKind::kPoolBehind, decision.events);
  return decision;
}

Decision DecideAdoptPool(const ControllerState& state, const log::v1::AdoptPool& input, const DecisionPoint& point) {
  const PoolStore& store = state.pool_store();
  if (!store.must_be_adopted()) {
    return {{},
            Rejection{RejectReason::kFailedCondition,
                      "the pool store is neither of another log nor ahead of this one: there is nothing to adopt"}};
  }
  Decision decision;
  decision.events.emplace_back(PoolAdopted{store.log_id(), store.applied_sequence(),
                                           std::string(CutUtf8(input.request().reason(), kReasonBytes))});
  Clear(state, AlarmKind::kPoolForeign, decision.events);
  AdoptAll(state, input, point, decision.events);
  admin::v1::AdoptPoolResponse reply;
  reply.set_previous_log_id(store.log_id());
  reply.set_previous_applied_sequence(store.applied_sequence().value());
  reply.set_log_sequence(point.sequence.value());
  decision.reply = std::move(reply);
  return decision;
}

}  // namespace holdfast
