#include "tools/judge/health_judge.h"

#include <algorithm>
#include <cstdio>

namespace holdfast::judge {
namespace {

std::string SecondsText(std::int64_t micros) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f s", static_cast<double>(micros) / 1e6);
  return text;
}

std::string WhatFails(const HealthTruth& truth) {
  if (!truth.passes_basic) return "fails every check";
  return truth.passes_egress ? "passes every check" : "fails EGRESS";
}

}  // namespace

std::int64_t HealthSettings::DownWithin(std::int64_t interval_us) const {
  return interval_us + (failures_to_unhealthy - 1) * suspect_interval_us +
         failures_to_unhealthy * (timeout_us + deadline_margin_us) + margin_us;
}

std::int64_t HealthSettings::UpWithin() const {
  const std::int64_t longest = std::max({unhealthy_max_interval_us, basic_interval_us, egress_interval_us});
  return passes_from_unhealthy * (longest + timeout_us + deadline_margin_us) + margin_us;
}

HealthJudge::HealthJudge(const HealthSettings& settings, Truth truth, std::function<void(Violation)> report)
    : settings_(settings), truth_(std::move(truth)), report_(std::move(report)) {}

void HealthJudge::Excuse(const ProxyId& proxy, std::int64_t at_us) {
  const auto found = records_.find(proxy);
  if (found != records_.end()) found->second.from_us = std::max(found->second.from_us, at_us);
}

void HealthJudge::Hear(const PoolListing& listing) {
  ++listings_;
  for (const auto& [proxy, state] : listing.proxies) {
    const auto [found, fresh] = records_.try_emplace(proxy);
    Record& record = found->second;
    if (fresh || gap_) record.from_us = listing.ended_us;
    record.listing = listings_;
    Compare(proxy, state, listing, record);
  }
  gap_ = false;
  // What is listed no more begins anew when it comes back.
  std::erase_if(records_, [this](const auto& entry) { return entry.second.listing != listings_; });
}

void HealthJudge::Compare(const ProxyId& proxy, admin::v1::PoolState state, const PoolListing& listing,
                          Record& record) {
  if (state == admin::v1::POOL_STATE_EXTRACTED || state == admin::v1::POOL_STATE_EXPIRED) return;
  const HealthTruth truth = truth_(proxy, listing.ended_us);
  const bool passes = truth.passes_basic && truth.passes_egress;
  const std::int64_t interval = truth.passes_basic ? settings_.egress_interval_us : settings_.basic_interval_us;
  const std::int64_t bound = passes ? settings_.UpWithin() : settings_.DownWithin(interval);
  const std::int64_t stood = listing.begun_us - std::max(truth.since_us, record.from_us);
  if (stood <= bound) return;
  ++comparisons_;
  const auto expected = passes ? admin::v1::POOL_STATE_AVAILABLE : admin::v1::POOL_STATE_UNHEALTHY;
  if (state == expected || record.reported_us == truth.since_us) return;
  record.reported_us = truth.since_us;
  report_({ViolationKind::kHealth, listing.ended_us,
           "proxy " + proxy.value() + " " + WhatFails(truth) + " since " + SecondsText(truth.since_us) +
               ", undisturbed for " + SecondsText(stood) + " (bound " + SecondsText(bound) +
               "): " + admin::v1::PoolState_Name(state) + " instead of " + admin::v1::PoolState_Name(expected)});
}

}  // namespace holdfast::judge
