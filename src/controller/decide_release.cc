// Extractions end: a client gives back, or time is over. What is said twice is answered as the first time, for a day.
// Design: ownership.md "Extraction".

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>

#include <optional>
#include <set>
#include <string>

#include "controller/decide.h"
#include "controller/extraction_rules.h"
#include "controller/extraction_tick.h"
#include "controller/rule_constant.h"

namespace holdfast {
namespace {

using distribution::v1::ReleaseRequest;
using distribution::v1::ReleaseResponse;

constexpr Duration kRemembered = RuleConstant<Duration>(std::chrono::hours(24), std::chrono::hours(23));
constexpr std::size_t kMostForgotten = 256;  // of one tick

ReleaseResponse Answer(std::uint64_t released, Sequence sequence) {
  ReleaseResponse response;
  response.set_released(released);
  response.set_log_sequence(sequence.value());
  return response;
}

Rejection NotThere(std::string_view what, std::string field) {
  return {RejectReason::kNotFound, std::string(what) + "; nothing was released", std::move(field)};
}

// The extraction that the client has; nullptr: none of this id, or another's, or one that is over.
const ExtractionRow* FindStanding(const ControllerState& state, const ReleaseRequest& request) {
  const ExtractionKey key = state.extractions().Find(request.extraction_id());
  if (key.value() == 0) return nullptr;
  const ExtractionRow& row = state.extractions().At(key);
  const bool own = row.client_id.value() == request.client_id();
  return own && row.phase == ExtractionPhase::kStanding ? &row : nullptr;
}

// What is given back: that of these ids, or all that is left. nullopt: an id that it does not have (any more).
std::optional<absl::btree_set<ProxyKey>> GivenBack(const ExtractionRow& row, const ReleaseRequest& request) {
  absl::btree_set<ProxyKey> given;
  std::set<std::string> named(request.proxy_ids().begin(), request.proxy_ids().end());
  const bool all = named.empty();
  for (std::size_t i = 0; i < row.proxies.size(); ++i) {
    if (row.proxies[i].given_back) continue;
    if (all || named.erase(row.specs[i].proxy_id.value()) > 0) given.insert(row.proxies[i].proxy);
  }
  if (!named.empty()) return std::nullopt;
  return given;
}

// An address is free when all that was handed out of it has come back.
ExtractionEnded EndOf(const ExtractionRow& row, ExtractionKey key, const absl::btree_set<ProxyKey>& given) {
  ExtractionEnded ended;
  ended.extraction = key;
  ended.extraction_id = row.extraction_id;
  ended.client_id = row.client_id;
  absl::btree_set<AddressKey> busy;
  for (const HandedOut& out : row.proxies) {
    if (given.contains(out.proxy)) ended.proxies.push_back(out.proxy);
    if (!out.given_back && !given.contains(out.proxy)) busy.insert(out.address);
  }
  for (const AddressKey address : row.addresses) {
    if (!busy.contains(address)) ended.addresses.push_back(address);
  }
  ended.over = busy.empty();
  return ended;
}

}  // namespace

Decision DecideRelease(const ControllerState& state, const ReleaseRequest& request, const DecisionPoint& point) {
  const RequestHash content = RequestHashOf(request);
  const ReleaseRow* before = state.extractions().FindRelease(request.client_id(), request.request_id());
  if (before != nullptr) {
    if (before->content_hash == content) return {{}, Answer(before->released, before->answered)};
    return {{},
            Rejection{RejectReason::kRequestConflict,
                      "this request_id stood for another release; take a new one for this", "request_id"}};
  }
  const ExtractionRow* row = FindStanding(state, request);
  if (row == nullptr) return {{}, NotThere("this client has no extraction of this id (any more)", "extraction_id")};
  const std::optional<absl::btree_set<ProxyKey>> given = GivenBack(*row, request);
  if (!given) return {{}, NotThere("the extraction does not hold all of these proxies (any more)", "proxy_ids")};
  ExtractionEnded ended = EndOf(*row, state.extractions().Find(request.extraction_id()), *given);
  ended.reason = EndReason::kReleased;
  ended.request_id = request.request_id();
  ended.content_hash = content;
  ended.remembered_until = point.now + kRemembered;
  Decision decision;
  decision.reply = Answer(ended.proxies.size(), point.sequence);
  const std::vector<AddressKey> addresses = ended.addresses;
  decision.events.emplace_back(std::move(ended));
  AppendReturned(state, addresses, decision.events);
  return decision;
}

Decision EndExtraction(const ControllerState& state, LogTime now) {
  const ExtractionKey key = state.extractions().ends().Due(now, 1).front();
  const ExtractionRow& row = state.extractions().At(key);
  absl::btree_set<ProxyKey> all;
  for (const HandedOut& out : row.proxies) {
    if (!out.given_back) all.insert(out.proxy);
  }
  ExtractionEnded ended = EndOf(row, key, all);
  ended.reason = row.end_reason;
  ended.remembered_until = now + kRemembered;
  Decision decision;
  const std::vector<AddressKey> addresses = ended.addresses;
  decision.events.emplace_back(std::move(ended));
  AppendReturned(state, addresses, decision.events);
  return decision;
}

Decision ForgetExtractions(const ControllerState& state, LogTime now) {
  Decision decision;
  for (const ExtractionKey key : state.extractions().forgets().Due(now, kMostForgotten)) {
    const ExtractionRow& row = state.extractions().At(key);
    decision.events.emplace_back(RequestForgotten{row.client_id, row.request_id, false});
  }
  return decision;
}

Decision ForgetReleases(const ControllerState& state, LogTime now) {
  Decision decision;
  for (const std::string& key : state.extractions().release_forgets().Due(now, kMostForgotten)) {
    const ReleaseRow& row = state.extractions().release(key);
    decision.events.emplace_back(RequestForgotten{row.client_id, row.request_id, true});
  }
  return decision;
}

Decision ForgetShortages(const ControllerState& state, LogTime now) {
  Decision decision;
  for (const std::string& key : state.extractions().shortage_ends().Due(now, kMostForgotten)) {
    const ShortageRow& row = state.extractions().shortage(key);
    decision.events.emplace_back(ShortageNoted{row.client_id, row.request_id, 0, LogTime()});
  }
  return decision;
}

}  // namespace holdfast
