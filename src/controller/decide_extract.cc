// A client takes machines: the intent, or why there is none. What the store answers to it: decide_extraction_answer.cc.
// Design: ownership.md "Extraction".

#include <algorithm>
#include <optional>
#include <string>

#include "controller/decide.h"
#include "controller/extract_choice.h"
#include "controller/extraction_rules.h"
#include "controller/rule_constant.h"
#include "controller/shortage.h"

namespace holdfast {
namespace {

using distribution::v1::ExtractRequest;

// A client is told before its own deadline of three seconds.
constexpr Duration kAnswerWithin = RuleConstant<Duration>(std::chrono::seconds(2), std::chrono::seconds(1));
constexpr Duration kLeastWait = std::chrono::milliseconds(100);
constexpr Duration kRetryShortage = std::chrono::seconds(2);

// The request was seen before.
Decision Repeat(const ExtractionRow& row, const RequestHash& content, LogTime now) {
  if (row.content_hash != content) {
    return {{},
            Rejection{RejectReason::kRequestConflict,
                      "this request_id stood for another request; take a new one for this", "request_id"}};
  }
  if (row.open()) {
    return {{}, PoolUnavailable("this request waits for the pool store; repeat it under the same request_id")};
  }
  if (row.phase == ExtractionPhase::kStanding) return {{}, ResponseOf(row, now)};
  return {{},
          Rejection{RejectReason::kNotFound,
                    "the extraction of this request is over; take a new request_id for another", "request_id"}};
}

// Why nothing is extracted at present, whatever is asked for.
std::optional<Rejection> WhyNotNow(const ControllerState& state, LogTime now) {
  const LogTime wait = state.run().wait_until();
  const PoolStore& store = state.pool_store();
  if (!IsAbsent(wait) && (!IsOver(wait, now) || !store.must_be_adopted())) {
    return Rejection{RejectReason::kNotReady,
                     "nothing is given until what an earlier or a lost log may have given is over",
                     "",
                     {},
                     std::max(wait - now, kLeastWait)};
  }
  if (store.must_be_adopted()) {
    return PoolUnavailable("the pool store holds what this log does not know; an operator has to adopt it");
  }
  if (!store.usable()) return PoolUnavailable("the pool store is not ready; it is being met or written anew");
  return std::nullopt;
}

Rejection NotEnough(std::size_t available, std::size_t requested) {
  return {RejectReason::kNotEnoughProxies,
          "fewer machines than asked for are free and fit; what lacks is asked back from workers",
          "",
          {{"available", std::to_string(available)}, {"requested", std::to_string(requested)}},
          kRetryShortage};
}

ExtractionPrepared Prepare(const ControllerState& state, const log::v1::Extract& input, const ExtractFilter& filter,
                           const std::vector<Choice>& chosen, LogTime now) {
  const ExtractRequest& request = input.request();
  ExtractionPrepared prepared;
  prepared.extraction = state.extractions().next();
  prepared.extraction_id = ExtractionId(input.extraction_id());
  prepared.client_id = ClientId(request.client_id());
  prepared.request_id = request.request_id();
  prepared.content_hash = RequestHashOf(request);
  for (const Choice& choice : chosen) {
    prepared.addresses.push_back(choice.address);
    prepared.counts.push_back(static_cast<std::uint32_t>(choice.proxies.size()));
    prepared.proxies.insert(prepared.proxies.end(), choice.proxies.begin(), choice.proxies.end());
  }
  prepared.need = request.all_or_nothing() ? request.count() : 1;
  prepared.requested = request.count();
  prepared.all_or_nothing = request.all_or_nothing();
  prepared.hold = filter.hold;
  prepared.deadline = now + kAnswerWithin;
  return prepared;
}

}  // namespace

Decision DecideExtract(const ControllerState& state, const log::v1::Extract& input, const DecisionPoint& point) {
  const ExtractRequest& request = input.request();
  const ExtractionKey known = state.extractions().FindRequest(request.client_id(), request.request_id());
  if (known.value() != 0) return Repeat(state.extractions().At(known), RequestHashOf(request), point.now);
  if (std::optional<Rejection> rejection = WhyNotNow(state, point.now)) return {{}, *std::move(rejection)};
  const ExtractFilter filter = FilterOf(state, request);
  if (!request.routing_id().empty() && filter.routing.value() == 0) {
    return {{}, Rejection{RejectReason::kFailedCondition, "no routing of this id is in force", "routing_id"}};
  }
  const std::vector<Choice> chosen = ChooseOffers(state, filter, request.count(), point.now);
  const std::size_t least = request.all_or_nothing() ? request.count() : 1;
  Decision decision;
  if (chosen.size() < least) {
    decision.reply = NotEnough(chosen.size(), request.count());
  } else {
    ExtractionPrepared prepared = Prepare(state, input, filter, chosen, point.now);
    decision.reply = ExtractionAsked{prepared.extraction_id, prepared.deadline};
    decision.events.emplace_back(std::move(prepared));
  }
  const std::size_t lacking = request.count() - chosen.size();
  if (lacking > 0) ReclaimShortage(state, request, filter, lacking, point, decision.events);
  return decision;
}

}  // namespace holdfast
