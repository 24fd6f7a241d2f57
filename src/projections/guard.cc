#include "projections/guard.h"

#include <algorithm>

#include "base/check.h"

namespace holdfast {
namespace {

// Drops the demotions that are over. F: void(const Demotion&).
template <class Lately, class F>
void ForgetOver(Lately& lately, Duration window, LogTime now, F&& forgotten) {
  while (!lately.demotions.empty() && IsOver(lately.demotions.front().at + window, now)) {
    const Demotion& over = lately.demotions.front();
    forgotten(over);
    if (--lately.by_checker[over.checker] == 0) lately.by_checker.erase(over.checker);
    lately.demotions.pop_front();
  }
}

}  // namespace

Digest Guard::HashOf(const Voice& voice, const Slices& slices) {
  RowHasher hash(15);
  hash.Number(static_cast<std::uint64_t>(voice.scope.level)).Number(voice.scope.routing.value());
  hash.Number(voice.checker.value());
  for (const Slice& slice : slices) {
    hash.Number(static_cast<std::uint64_t>(slice.number)).Number(slice.said.passes).Number(slice.said.failures);
    hash.Number(slice.said.first_failures);
  }
  return hash.Finish();
}

Digest Guard::HashOf(const GuardScope& scope, const Demotion& demotion) {
  RowHasher hash(16);
  hash.Number(static_cast<std::uint64_t>(scope.level))
      .Number(scope.routing.value())
      .Number(ToMicros(demotion.at))
      .Number(demotion.checker.value());
  hash.Number(demotion.key.proxy.value()).Number(static_cast<std::uint64_t>(demotion.key.level));
  return hash.Finish();
}

Digest Guard::HashOf(const Freeze& freeze, const FreezeRow& row) {
  RowHasher hash(17);
  hash.Number(static_cast<std::uint64_t>(freeze.scope.level)).Number(freeze.scope.routing.value());
  hash.Number(freeze.checker.value()).Number(ToMicros(row.since)).Number(row.demoted.size());
  return hash.Finish();
}

Digest Guard::HashOf(CheckLevel level, LogTime inconclusive_since) {
  RowHasher hash(19);
  hash.Number(static_cast<std::uint64_t>(level)).Number(ToMicros(inconclusive_since));
  return hash.Finish();
}

void Guard::Apply(const SettingsChanged& event, const EntryPoint& entry) {
  const Settings& settings = event.settings;
  std::array<Duration, 4> windows{};
  const auto set = [&](CheckLevel level, Duration interval) {
    windows[static_cast<std::size_t>(level)] = std::max(settings.guard_window, interval);
  };
  set(CheckLevel::kBasic, settings.basic_interval);
  set(CheckLevel::kEgress, settings.egress_interval);
  set(CheckLevel::kTarget, settings.target_interval);
  if (windows != windows_) {
    // What is over stays over, also where windows are longer from now on.
    for (auto& [scope, lately] : demotions_) {
      const auto forgotten = [&, &its = scope](const Demotion& over) { digest_.Remove(HashOf(its, over)); };
      ForgetOver(lately, WindowOf(scope), entry.at, forgotten);
    }
    windows_ = windows;
  }
  const Duration slice = std::max(settings.guard_window / static_cast<std::int64_t>(kSlices), Duration(1));
  if (slice == slice_) return;
  // Slices of another length mean nothing any more.
  for (const auto& [voice, slices] : voices_) digest_.Remove(HashOf(voice, slices));
  voices_.clear();
  slice_ = slice;
}

std::int64_t Guard::SliceOf(LogTime time) const { return ToMicros(time) / slice_.count(); }

void Guard::Apply(const CheckObserved& event, const EntryPoint& entry) {
  LogTime& since = inconclusive_since_[static_cast<std::size_t>(event.level)];
  const bool conclusive = event.verdict != Verdict::kInconclusive;
  if (conclusive != IsAbsent(since)) {
    if (!IsAbsent(since)) digest_.Remove(HashOf(event.level, since));
    since = conclusive ? LogTime() : entry.at;
    if (!IsAbsent(since)) digest_.Add(HashOf(event.level, since));
  }
  if (!event.weighed) return;
  const auto [found, added] = voices_.try_emplace(Voice{{event.level, event.routing}, event.checker}, Slices{});
  if (!added) digest_.Remove(HashOf(found->first, found->second));
  const std::int64_t number = SliceOf(entry.at);
  Slice& slice = found->second[static_cast<std::size_t>(number) % kSlices];
  if (slice.number != number) slice = Slice{number, {}};
  const bool passed = event.verdict == Verdict::kPass;
  ++(passed ? slice.said.passes : slice.said.failures);
  if (!passed && event.failures <= 1) ++slice.said.first_failures;  // 0: it is held, and one is enough
  digest_.Add(HashOf(found->first, found->second));
}

void Guard::Demote(const GuardScope& scope, CheckerKey checker, ProxyKey proxy, LogTime at) {
  Lately& lately = demotions_[scope];
  ForgetOver(lately, WindowOf(scope), at, [&](const Demotion& over) { digest_.Remove(HashOf(scope, over)); });
  lately.demotions.push_back({at, checker, {proxy, scope.level, scope.routing}});
  ++lately.by_checker[checker];
  digest_.Add(HashOf(scope, lately.demotions.back()));
}

void Guard::Apply(const HealthChanged& event, const EntryPoint& entry) {
  if (event.weighed) Demote({event.level, event.routing}, event.checker, event.proxy, entry.at);
}

void Guard::Apply(const HealthFrozen& event, const EntryPoint& entry) {
  const Freeze freeze{{event.level, event.routing}, event.checker};
  FreezeRow row{entry.at, {}};
  for (const Demotion& demotion : demotions_[freeze.scope].demotions) {
    const bool its_word = event.checker.value() == 0 || demotion.checker == event.checker;
    if (its_word && !IsOver(demotion.at + WindowOf(freeze.scope), entry.at)) {
      row.demoted.push_back(demotion.key);
    }
  }
  if (row.demoted.size() > kMostHastened) row.demoted.erase(row.demoted.begin(), row.demoted.end() - kMostHastened);
  const auto [found, added] = freezes_.insert({freeze, std::move(row)});
  HOLDFAST_CHECK(added);
  digest_.Add(HashOf(found->first, found->second));
}

void Guard::Apply(const HealthThawed& event, const EntryPoint&) {
  const auto found = freezes_.find({{event.level, event.routing}, event.checker});
  HOLDFAST_CHECK(found != freezes_.end());
  digest_.Remove(HashOf(found->first, found->second));
  freezes_.erase(found);
}

VerdictCount Guard::Said(const GuardScope& scope, CheckerKey checker, LogTime now, Duration lately) const {
  VerdictCount sum;
  const auto found = voices_.find({scope, checker});
  if (found == voices_.end()) return sum;
  const std::int64_t newest = SliceOf(now);
  const std::int64_t slices = std::clamp<std::int64_t>(lately / slice_, 1, static_cast<std::int64_t>(kSlices));
  for (const Slice& slice : found->second) {
    if (newest - slice.number < slices) sum += slice.said;
  }
  return sum;
}

std::vector<CheckerKey> Guard::Heard(const GuardScope& scope) const {
  std::vector<CheckerKey> heard;
  for (auto it = voices_.lower_bound({scope, CheckerKey()}); it != voices_.end() && it->first.scope == scope; ++it) {
    heard.push_back(it->first.checker);
  }
  return heard;
}

std::map<CheckerKey, std::uint64_t> Guard::Demoted(const GuardScope& scope, LogTime now) const {
  const auto found = demotions_.find(scope);
  if (found == demotions_.end()) return {};
  std::map<CheckerKey, std::uint64_t> demoted = found->second.by_checker;
  for (const Demotion& demotion : found->second.demotions) {
    if (!IsOver(demotion.at + WindowOf(scope), now)) break;
    --demoted[demotion.checker];
  }
  return demoted;
}

}  // namespace holdfast
