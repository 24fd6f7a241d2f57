#include "tools/fleet/health_watch.h"

#include <utility>

namespace holdfast::fleet {
namespace {

constexpr Duration kLookEvery = std::chrono::seconds(1);
constexpr Duration kReadDeadline = std::chrono::seconds(30);

}  // namespace

HealthWatch::HealthWatch(const judge::HealthSettings& settings, std::shared_ptr<client::Scheduler> scheduler,
                         client::ChannelSource channels, const ProxyTruth& truth, client::BootTime began_at,
                         CheckerStatistics& statistics, std::function<void(judge::Violation)> report)
    : scheduler_(std::move(scheduler)),
      truth_(truth),
      began_at_(began_at),
      statistics_(statistics),
      reader_(scheduler_, std::move(channels)),
      judge_(
          settings, [this](const ProxyId& proxy, std::int64_t at_us) { return TruthOf(proxy, at_us); },
          std::move(report)) {}

HealthWatch::~HealthWatch() { scheduler_->Cancel(timer_); }

judge::HealthTruth HealthWatch::TruthOf(const ProxyId& proxy, std::int64_t at_us) const {
  const ProxyTruth::State state = truth_.At(proxy.value(), at_us);
  return {.passes_basic = !state.fails_at_basic, .passes_egress = state.alive, .since_us = state.since_us};
}

void HealthWatch::Excuse(const std::string& proxy_id) {
  scheduler_->Post([this, alive = std::weak_ptr(alive_), proxy = ProxyId(proxy_id)] {
    if (alive.lock()) judge_.Excuse(proxy, (scheduler_->Now() - began_at_).count());
  });
}

void HealthWatch::Look() {
  // Where nobody checks, nothing can follow the truth.
  if (statistics_.active() <= 0) judge_.OnGap();
  reader_.Read(kReadDeadline, [this](const client::CallResult& result, judge::PoolListing listing) {
    OnListing(result, std::move(listing));
  });
}

void HealthWatch::OnListing(const client::CallResult& result, judge::PoolListing listing) {
  if (result.ok()) {
    std::erase_if(listing.proxies, [](const auto& listed) { return !ProxyTruth::Knows(listed.first.value()); });
    listing.begun_us -= began_at_.time_since_epoch().count();
    listing.ended_us -= began_at_.time_since_epoch().count();
    judge_.Hear(listing);
    statistics_.CountListing(listing, judge_.comparisons());
  } else {
    judge_.OnGap();
    statistics_.CountListingFailed(client::WordsOf(result));
  }
  timer_ = scheduler_->RunAt(scheduler_->Now() + kLookEvery, [this] {
    timer_ = 0;
    Look();
  });
}

}  // namespace holdfast::fleet
