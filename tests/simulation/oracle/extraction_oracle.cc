#include "tests/simulation/oracle/extraction_oracle.h"

#include <algorithm>

#include "tests/simulation/oracle/contract.h"

namespace holdfast::simulation {
namespace {

using distribution::v1::ExtractRequest;
using distribution::v1::ReleaseRequest;
using log::v1::Event;

std::int64_t MicrosOf(const google::protobuf::Duration& duration) {
  return duration.seconds() * 1'000'000 + duration.nanos() / 1'000;
}

}  // namespace

void ExtractionOracle::Wrong(const Entry& entry, const std::string& what) {
  violations_.Add("extraction oracle", "sequence " + std::to_string(entry.sequence) + ", " + InputNameOf(entry.input) +
                                           " {" + entry.input.ShortDebugString() + "}: " + what);
}

void ExtractionOracle::OnEntry(const Entry& entry) {
  Reason predicted;
  if (entry.input.has_extract()) {
    predicted = PredictExtract(entry, entry.input.extract().request());
  } else if (entry.input.has_release()) {
    predicted = PredictRelease(entry.input.release());
  } else if (entry.input.has_adopt_pool()) {
    if (!extractions_.must_be_adopted()) predicted = controlplane::v1::REJECT_REASON_FAILED_CONDITION;
  } else {
    return;
  }
  ++predictions_;
  const Reason decided = ReasonOf(entry);
  reached_.Count("predicted of " + InputNameOf(entry.input), Word(predicted));
  if (predicted != decided) Wrong(entry, Word(decided) + ", but by docs/extraction.md it is " + Word(predicted));
  for (const Event& event : entry.events.events()) {
    if (event.has_extraction_prepared() && entry.input.has_extract()) JudgeIntent(entry, event.extraction_prepared());
  }
}

ExtractionOracle::Reason ExtractionOracle::PredictExtract(const Entry& entry, const ExtractRequest& request) const {
  const ModelExtraction* known = extractions_.OfRequest(request.client_id(), request.request_id());
  if (known != nullptr) {
    if (ContentOf(known->request) != ContentOf(request)) return controlplane::v1::REJECT_REASON_REQUEST_CONFLICT;
    if (known->open()) return controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE;
    if (known->stage == ExtractionStage::kStanding) return std::nullopt;
    return controlplane::v1::REJECT_REASON_NOT_FOUND;
  }
  const std::int64_t wait = extractions_.wait_until();
  const bool waits = wait != 0 && (entry.at_us < wait || !extractions_.must_be_adopted());
  if (waits) return controlplane::v1::REJECT_REASON_NOT_READY;
  if (!extractions_.usable()) return controlplane::v1::REJECT_REASON_POOL_UNAVAILABLE;
  if (!request.routing_id().empty() && checks_.RoutingOf(request.routing_id()) == nullptr) {
    return controlplane::v1::REJECT_REASON_FAILED_CONDITION;
  }
  const std::uint64_t least = request.all_or_nothing() ? request.count() : 1;
  if (CountFitting(entry, request) < least) return controlplane::v1::REJECT_REASON_NOT_ENOUGH_PROXIES;
  return std::nullopt;
}

ExtractionOracle::Reason ExtractionOracle::PredictRelease(const ReleaseRequest& request) const {
  const ModelRelease* before = extractions_.ReleaseOf(request.client_id(), request.request_id());
  if (before != nullptr) {
    if (ContentOf(before->request) == ContentOf(request)) return std::nullopt;
    return controlplane::v1::REJECT_REASON_REQUEST_CONFLICT;
  }
  const ModelExtraction* extraction = extractions_.Find(request.extraction_id());
  const bool its = extraction != nullptr && extraction->stage == ExtractionStage::kStanding &&
                   extraction->client_id == request.client_id();
  if (!its) return controlplane::v1::REJECT_REASON_NOT_FOUND;
  const bool all_out = std::all_of(request.proxy_ids().begin(), request.proxy_ids().end(), [&](const auto& proxy_id) {
    const auto proxy = extraction->by_id.find(proxy_id);
    return proxy != extraction->by_id.end() && extraction->proxies.contains(proxy->second);
  });
  return all_out ? Reason() : controlplane::v1::REJECT_REASON_NOT_FOUND;
}

bool ExtractionOracle::Fits(const Entry& entry, const ExtractRequest& request, std::uint32_t key) const {
  const ModelProxy* proxy = model_.Proxy(key);
  const CheckedProxy* checked = checks_.Proxy(key);
  if (proxy == nullptr || checked == nullptr || !model_.IsFree(*proxy) || proxy->usable_until <= entry.at_us)
    return false;
  const log::v1::StoredProxy& spec = checked->spec;
  if (!spec.secret_ref().empty() && !request.resolves_secrets()) return false;
  if (request.has_min_remaining() && proxy->usable_until - entry.at_us < MicrosOf(request.min_remaining()))
    return false;
  const bool scheme_fits =
      request.schemes().empty() || std::count(request.schemes().begin(), request.schemes().end(), spec.scheme()) > 0;
  const bool labels_fit = std::all_of(request.labels().begin(), request.labels().end(), [&](const auto& label) {
    const auto found = spec.labels().find(label.first);
    return found != spec.labels().end() && found->second == label.second;
  });
  if (!scheme_fits || !labels_fit) return false;
  if (request.routing_id().empty()) return true;
  const ModelRouting* routing = checks_.RoutingOf(request.routing_id());
  const bool marked = std::count(checked->marked.begin(), checked->marked.end(), request.routing_id()) > 0;
  return routing != nullptr && !marked &&
         checks_.StateOf({key, controlplane::v1::CHECK_LEVEL_TARGET, routing->key}) ==
             admin::v1::HEALTH_STATE_AVAILABLE;
}

std::uint64_t ExtractionOracle::CountFitting(const Entry& entry, const ExtractRequest& request) const {
  std::uint64_t fitting = 0;
  for (const auto& [key, address] : model_.addresses()) {
    if (address.hold != HoldState::kUnowned) continue;
    fitting += std::any_of(address.proxies.begin(), address.proxies.end(),
                           [&](std::uint32_t proxy) { return Fits(entry, request, proxy); })
                   ? 1
                   : 0;
  }
  return fitting;
}

// As many as were asked for, or all there are; of each machine the proxies that fit, all of them.
void ExtractionOracle::JudgeIntent(const Entry& entry, const log::v1::ExtractionPrepared& prepared) {
  const ExtractRequest& request = entry.input.extract().request();
  const std::uint64_t wanted = std::min<std::uint64_t>(request.count(), CountFitting(entry, request));
  if (static_cast<std::uint64_t>(prepared.addresses_size()) != wanted) {
    Wrong(entry, std::to_string(prepared.addresses_size()) + " machines are asked for, " + std::to_string(wanted) +
                     " are there and wanted");
  }
  int fitting = 0;
  for (const std::uint32_t key : prepared.addresses()) {
    const ModelAddress* address = model_.Address(key);
    if (address == nullptr) continue;
    for (const std::uint32_t proxy : address->proxies) fitting += Fits(entry, request, proxy) ? 1 : 0;
  }
  const bool all_fit = std::all_of(prepared.proxies().begin(), prepared.proxies().end(),
                                   [&](std::uint32_t proxy) { return Fits(entry, request, proxy); });
  if (!all_fit || fitting != prepared.proxies_size())
    Wrong(entry, "other proxies are to be handed out than those that fit");
}

}  // namespace holdfast::simulation
