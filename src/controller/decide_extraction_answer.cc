// What the store answered to an intent, or that it did not: the client has what was moved, or nobody has anything.
// Once the client was told that the store is unavailable no answer gives it anything any more.
// Design: ownership.md "Extraction".

#include <absl/container/btree_set.h>

#include <algorithm>
#include <string>

#include "controller/decide.h"
#include "controller/extraction_rules.h"
#include "controller/extraction_tick.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

// A late script of the store is refused once the entry that gives back has reached it.
constexpr Duration kMostDoubt = RuleConstant<Duration>(std::chrono::seconds(60), std::chrono::seconds(61));

Rejection NotMoved(const ExtractionRow& row, std::size_t moved) {
  return {RejectReason::kNotEnoughProxies,
          "the pool store had fewer of the machines than are needed; ask again",
          "",
          {{"available", std::to_string(moved)}, {"requested", std::to_string(row.requested)}},
          std::chrono::seconds(1)};
}

// What the client is told of a proxy: a machine has the capacity of the least of its siblings.
ProxySpec SpecOf(const ControllerState& state, const HandedOut& out) {
  const ProxyRow& row = state.pool().proxy(out.proxy);
  ProxySpec spec = *row.spec;
  spec.expires_at = row.expires_at;
  spec.usable_until = row.usable_until;
  for (const ProxyKey sibling : state.pool().address(out.address).proxies) {
    spec.capacity = std::min(spec.capacity, state.pool().proxy(sibling).spec->capacity);
  }
  return spec;
}

// The end of the hold, at the latest the first expires_at; without a hold the earliest usable_until.
void PutEnd(const ExtractionRow& row, const Settings& settings, LogTime now, ProxiesExtracted& event) {
  const bool held = row.hold > Duration(0);
  LogTime life = LogTime::max();
  for (const ProxySpec& spec : event.specs) life = std::min(life, held ? spec.expires_at : spec.usable_until);
  const bool by_hold = held && now + row.hold < life;
  event.extracted_until = std::max(by_hold ? now + row.hold : life, now);
  event.ends_at = event.extracted_until + settings.lapse_grace;
  event.end_reason = by_hold ? EndReason::kHoldOver : EndReason::kExpired;
}

ProxiesExtracted Moved(const ControllerState& state, ExtractionKey key, const absl::btree_set<AddressKey>& moved,
                       LogTime now) {
  const ExtractionRow& row = state.extractions().At(key);
  ProxiesExtracted event;
  event.extraction = key;
  event.extraction_id = row.extraction_id;
  event.client_id = row.client_id;
  for (const AddressKey address : row.addresses) {
    (moved.contains(address) ? event.addresses : event.returned).push_back(address);
  }
  for (const HandedOut& out : row.proxies) {
    if (!moved.contains(out.address)) continue;
    event.proxies.push_back(out.proxy);
    event.specs.push_back(SpecOf(state, out));
  }
  PutEnd(row, state.settings(), now, event);
  return event;
}

// As the state will show it.
distribution::v1::ExtractResponse ResponseAfter(const ExtractionRow& row, const ProxiesExtracted& event,
                                                const DecisionPoint& point) {
  ExtractionRow standing;
  standing.extraction_id = row.extraction_id;
  standing.specs = event.specs;
  standing.extracted_until = event.extracted_until;
  standing.answered = point.sequence;
  standing.requested = row.requested;
  return ResponseOf(standing, point.now);
}

Decision DoubtedBecause(const ControllerState& state, ExtractionKey key, LogTime now) {
  const ExtractionRow& row = state.extractions().At(key);
  return {{ExtractionDoubted{key, row.extraction_id, now + kMostDoubt}},
          ExtractionSettled{row.extraction_id, PoolSilent()}};
}

}  // namespace

Decision DecideExtractionAnswered(const ControllerState& state, const log::v1::ExtractionAnswered& input,
                                  const DecisionPoint& point) {
  const ExtractionKey key = state.extractions().Find(input.extraction_id());
  if (key.value() == 0 || !state.extractions().At(key).open()) return {};  // settled before
  const ExtractionRow& row = state.extractions().At(key);
  Decision decision;
  if (row.phase == ExtractionPhase::kDoubted) {
    AppendGiveBack(state, key, input.cancelled() ? GiveBackReason::kCancelled : GiveBackReason::kDoubted,
                   decision.events);
    return decision;
  }
  absl::btree_set<AddressKey> moved;
  for (const std::uint32_t address : input.addresses()) {
    const bool asked =
        std::find(row.addresses.begin(), row.addresses.end(), AddressKey(address)) != row.addresses.end();
    if (asked) moved.insert(AddressKey(address));
  }
  if (moved.empty() || moved.size() < row.need) {
    decision.reply = ExtractionSettled{row.extraction_id, NotMoved(row, moved.size())};
    AppendGiveBack(state, key, input.cancelled() ? GiveBackReason::kCancelled : GiveBackReason::kNoneMoved,
                   decision.events);
    return decision;
  }
  ProxiesExtracted extracted = Moved(state, key, moved, point.now);
  decision.reply = ExtractionSettled{row.extraction_id, ResponseAfter(row, extracted, point)};
  const std::vector<AddressKey> returned = extracted.returned;
  decision.events.emplace_back(std::move(extracted));
  AppendLeavers(state, returned, decision.events);
  return decision;
}

Decision DecideExtractionUnanswered(const ControllerState& state, const log::v1::ExtractionUnanswered& input,
                                    const DecisionPoint& point) {
  const ExtractionKey key = state.extractions().Find(input.extraction_id());
  if (key.value() == 0 || state.extractions().At(key).phase != ExtractionPhase::kAsked) return {};
  return DoubtedBecause(state, key, point.now);
}

Decision PassAnswerDeadline(const ControllerState& state, LogTime now) {
  const ExtractionKey key = state.extractions().deadlines().Due(now, 1).front();
  if (state.extractions().At(key).phase == ExtractionPhase::kAsked) return DoubtedBecause(state, key, now);
  Decision decision;
  AppendGiveBack(state, key, GiveBackReason::kNoAnswer, decision.events);
  return decision;
}

}  // namespace holdfast
