#include "pool/projected_rows.h"

#include <algorithm>
#include <array>
#include <string>

namespace holdfast::pool {
namespace {

constexpr std::array<std::string_view, 7> kHealthNames = {"unspecified", "pending",   "available", "suspect",
                                                          "unhealthy",   "extracted", "expired"};
constexpr std::array<std::string_view, 7> kSessionNames = {"unspecified", "connecting", "handshaking", "active",
                                                           "draining",    "closed",     "reconnecting"};

AddressState StateOf(OwnershipState state) {
  switch (state) {
    case OwnershipState::kGranted:
      return AddressState::kGranted;
    case OwnershipState::kRevoking:
      return AddressState::kRevoking;
    case OwnershipState::kLapsing:
      return AddressState::kLapsing;
    case OwnershipState::kExtracted:
      return AddressState::kExtracted;
    default:
      return AddressState::kUnowned;
  }
}

}  // namespace

AddressRow RowOfAddress(const ControllerState& state, AddressKey address, Sequence sequence) {
  const HoldRow& hold = state.ownership().hold(address);
  AddressRow row;
  row.id = state.pool().address(address).text;
  row.state = StateOf(hold.state);
  row.sequence = sequence;
  if (HasOwner(row.state)) {
    row.owner = state.ownership().holder(hold.owner).worker_id.value();
    row.epoch = hold.epoch;
  }
  for (const ProxyBrief& brief : hold.proxies) {
    if (!brief.grantable()) continue;
    row.available_until = std::max(row.available_until.value_or(brief.usable_until), brief.usable_until);
  }
  if (row.state == AddressState::kExtracted) {
    const ExtractionRow& extraction = state.extractions().At(hold.extraction);
    row.extraction_id = extraction.extraction_id.value();
    row.extracted_until = extraction.extracted_until;
  }
  return row;
}

ProxyRow RowOfProxy(const ControllerState& state, ProxyKey proxy, Sequence sequence) {
  const ::holdfast::ProxyRow& known = state.pool().proxy(proxy);
  ProxyRow row;
  row.id = known.spec->proxy_id.value();
  row.address = state.pool().address(known.address).text;
  row.scheme = SchemeName(known.spec->endpoint.scheme);
  row.health = kHealthNames[static_cast<std::size_t>(known.state)];
  row.usable_until = known.usable_until;
  row.sequence = sequence;
  return row;
}

std::optional<SessionRow> RowOfSession(const ControllerState& state, WorkerKey worker, LogTime now) {
  const WorkerRow& known = state.sessions().At(worker);
  const Duration left = known.open() ? known.expires_at - now : Duration(0);
  if (left < std::chrono::milliseconds(1)) return std::nullopt;
  SessionRow row;
  row.worker = known.opened.worker_id.value();
  row.ttl = left;
  row.fields = {{"session", known.opened.session_id.value()},
                {"instance", known.opened.instance_id.value()},
                {"epoch", std::to_string(known.opened.epoch.value())},
                {"state", std::string(kSessionNames[static_cast<std::size_t>(known.state)])},
                {"attached", known.stream.value() != 0 ? "1" : "0"},
                {"zone", known.opened.zone},
                {"weight", std::to_string(known.opened.weight)},
                {"heard_at", std::to_string(ToMicros(known.heard_at))}};
  return row;
}

}  // namespace holdfast::pool
