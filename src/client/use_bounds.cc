#include "client/use_bounds.h"

#include <algorithm>

namespace holdfast::client {

BootTime UseBounds::Bound::End() const {
  // The limit and its grace are judged together: clock_max reaches limit + lapse_grace.
  return clock->WhenOver(limit + lapse_grace);
}

UseBounds::Bound UseBounds::BoundOf(const SnapshotView& view, const GrantRow& row, Duration lapse_grace) {
  return {std::min(view.valid_until, row.expires_at), view.clock, lapse_grace};
}

void UseBounds::Keep(const std::string& proxy_id, const Bound& bound) {
  std::vector<Bound>& bounds = kept_[proxy_id];
  for (Bound& known : bounds) {
    if (known.clock != bound.clock || known.lapse_grace != bound.lapse_grace) continue;
    known.limit = std::max(known.limit, bound.limit);
    return;
  }
  bounds.push_back(bound);
}

void UseBounds::KeepAll(const SnapshotView& view) {
  view.grants->ForEach([&](const GrantRowPointer& row) {
    if (row->ExtendsUse()) Keep(row->id(), BoundOf(view, *row, lapse_grace_));
  });
}

void UseBounds::OnTaken(const SnapshotViewPointer& before, const UpdateTaken& taken, Duration lapse_grace) {
  if (before) {
    // Within one session validity grows, and the new listing replaces the old one. Anything else is kept by name.
    const bool grows = before->clock == taken.view->clock && before->valid_until <= taken.view->valid_until;
    if (!grows) {
      KeepAll(*before);
    } else {
      for (const GrantRowPointer& row : taken.unlisted) {
        if (row->ExtendsUse()) Keep(row->id(), BoundOf(*before, *row, lapse_grace_));
      }
      for (const GrantRowPointer& row : taken.listed) {
        const GrantRow* old = before->grants->Find(row->id());
        if (!old || !old->ExtendsUse()) continue;
        // A listing that extends nothing, or one that expires sooner, leaves the bound where it was.
        if (!row->ExtendsUse() || row->expires_at < old->expires_at) {
          Keep(row->id(), BoundOf(*before, *old, lapse_grace_));
        }
      }
    }
  }
  current_ = taken.view;
  lapse_grace_ = lapse_grace;
  current_is_over_ = false;
  expired_in_current_.clear();
}

std::optional<BootTime> UseBounds::CutAt(std::string_view proxy_id) const {
  std::optional<BootTime> latest;
  if (current_) {
    const GrantRow* row = current_->grants->Find(proxy_id);
    if (row && row->ExtendsUse()) latest = BoundOf(*current_, *row, lapse_grace_).End();
  }
  const auto kept = kept_.find(proxy_id);
  if (kept == kept_.end()) return latest;
  for (const Bound& bound : kept->second) latest = std::max(latest.value_or(BootTime::min()), bound.End());
  return latest;
}

LogTime UseBounds::EarliestLimit() const {
  LogTime earliest = current_->grants->EarliestExpiry();
  if (!expired_in_current_.empty()) {
    earliest = LogTime::max();
    current_->grants->ForEach([&](const GrantRowPointer& row) {
      if (!expired_in_current_.contains(row->id())) earliest = std::min(earliest, row->expires_at);
    });
  }
  return std::min(earliest, current_->valid_until);
}

std::optional<BootTime> UseBounds::NextCut() const {
  std::optional<BootTime> next;
  const auto consider = [&next](BootTime at) { next = next ? std::min(*next, at) : at; };
  if (current_ && !current_is_over_ && current_->grants->size() != 0) {
    consider(current_->clock->WhenOver(EarliestLimit() + lapse_grace_));
  }
  for (const auto& [proxy_id, bounds] : kept_) {
    for (const Bound& bound : bounds) consider(bound.End());
  }
  return next;
}

void UseBounds::CutOfCurrent(BootTime now, std::vector<std::string>& due) {
  if (!current_ || current_is_over_ || now < current_->clock->WhenOver(EarliestLimit() + lapse_grace_)) return;
  current_->grants->ForEach([&](const GrantRowPointer& row) {
    if (expired_in_current_.contains(row->id())) return;
    if (now < BoundOf(*current_, *row, lapse_grace_).End()) return;
    expired_in_current_.insert(row->id());
    const std::optional<BootTime> at = CutAt(row->id());
    if (at && now >= *at) due.push_back(row->id());
  });
  current_is_over_ = now >= current_->clock->WhenOver(current_->valid_until + lapse_grace_);
}

std::vector<std::string> UseBounds::CutDue(BootTime now) {
  std::vector<std::string> due;
  CutOfCurrent(now, due);
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    std::erase_if(kept->second, [now](const Bound& bound) { return now >= bound.End(); });
    if (!kept->second.empty()) {
      ++kept;
      continue;
    }
    // What the current view lists for longer is not cut yet.
    const std::optional<BootTime> at = CutAt(kept->first);
    if (!at || now >= *at) due.push_back(kept->first);
    kept = kept_.erase(kept);
  }
  std::sort(due.begin(), due.end());
  due.erase(std::unique(due.begin(), due.end()), due.end());
  return due;
}

}  // namespace holdfast::client
