#include "tests/projector/projected_story.h"

#include <absl/strings/str_cat.h>

#include <utility>

namespace holdfast::testing {

ProjectedStory::ProjectedStory(const Settings& settings, bool bootstrap, std::size_t most_changes)
    : Story(settings, bootstrap), most_changes_(most_changes) {
  Follow();
  RestartProjector();
}

void ProjectedStory::MakeFeed() {
  pool::Feed::Listener listener;
  listener.work = [] {};
  listener.unsendable = [this](const std::string& id) {
    Unanswered(id, "away");
    Answered(id, {}, true);
  };
  feed_ = std::make_unique<pool::Feed>(behind_, std::move(listener), most_changes_);
}

void ProjectedStory::RestartProjector() {
  Follow();
  reports_.clear();
  MakeFeed();
  const auto read_tail = [this](Sequence after, Sequence upto) -> absl::StatusOr<pool::Changes> {
    if (!tail_kept_) return absl::DataLossError("the log begins later");
    pool::Changes changes;
    for (const LoggedEntry& entry : entries()) {
      if (entry.point.sequence <= after || entry.point.sequence > upto) continue;
      for (const Event& event : entry.events) changes.Note(event, entry.point.sequence, nullptr);
    }
    return changes;
  };
  projector_ = std::make_unique<pool::Projector>(
      pool::Projector::Parts{store_, *this, *this, [this] { return now(); }, read_tail});
}

void ProjectedStory::Follow() {
  for (; followed_ < entries().size(); ++followed_) {
    const LoggedEntry& entry = entries()[followed_];
    for (const Event& event : entry.events) {
      if (feed_) feed_->Before(event, entry.point, behind_);
      behind_.Apply(event, entry.point);
    }
    behind_.Passed(entry.point);
  }
}

void ProjectedStory::DecideReports() {
  while (!reports_.empty()) {
    const log::v1::Input input = std::move(reports_.front());
    reports_.pop_front();
    When(input);
  }
  Follow();
  if (!reports_.empty()) DecideReports();
}

Duration ProjectedStory::StepOnce() {
  Follow();
  const Duration wait = projector_->Step();
  DecideReports();
  return wait;
}

void ProjectedStory::Project() {
  std::size_t idle = 0;
  for (int step = 0; idle < 3 && step < 10'000; ++step) {
    const std::size_t before = entries().size();
    const bool waits = StepOnce() > Duration(0);
    idle = waits && entries().size() == before ? idle + 1 : 0;
  }
}

bool ProjectedStory::Read(const Look& look) {
  look(behind_, *feed_);
  return true;
}

void ProjectedStory::StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) {
  log::v1::Input& input = reports_.emplace_back();
  input.mutable_pool_store_seen()->set_log_id(log_id);
  input.mutable_pool_store_seen()->set_applied_sequence(applied.value());
  input.mutable_pool_store_seen()->set_incomplete(incomplete);
}

void ProjectedStory::StoreWritten(Sequence applied, std::uint64_t proxies) {
  log::v1::Input& input = reports_.emplace_back();
  input.mutable_pool_store_written()->set_applied_sequence(applied.value());
  input.mutable_pool_store_written()->set_proxies(proxies);
}

void ProjectedStory::Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) {
  log::v1::Input& input = reports_.emplace_back();
  input.mutable_extraction_answered()->set_extraction_id(extraction_id);
  for (const AddressKey address : moved) input.mutable_extraction_answered()->add_addresses(address.value());
  input.mutable_extraction_answered()->set_cancelled(cancelled);
}

void ProjectedStory::Unanswered(const std::string& extraction_id, const std::string& cause) {
  log::v1::Input& input = reports_.emplace_back();
  input.mutable_extraction_unanswered()->set_extraction_id(extraction_id);
  input.mutable_extraction_unanswered()->set_cause(cause);
}

std::vector<pool::Difference> ProjectedStory::Compare() {
  pool::Comparison comparison;
  std::vector<pool::Difference> all;
  bool more = true;
  while (more) {
    const absl::StatusOr<bool> step = comparison.Step(store_, *this, std::chrono::seconds(1));
    if (!step.ok()) return {{pool::Difference::Kind::kAddress, "", "trouble", "", step.status().ToString()}};
    more = *step;
    for (pool::Difference& difference : comparison.Take()) all.push_back(std::move(difference));
  }
  return all;
}

std::vector<std::string> ProjectedStory::Differences() {
  std::vector<std::string> texts;
  for (const pool::Difference& one : Compare()) {
    texts.push_back(absl::StrCat(one.id, " ", one.field, ": ", one.in_projection, " / ", one.in_store));
  }
  return texts;
}

std::vector<pool::AddressRow> ProjectedStory::StoredAddresses() {
  return store_.inner().Scan({.kind = pool::ScanKind::kAddresses, .limit = 100'000}, {})->addresses;
}

pool::AddressRow ProjectedStory::Stored(const std::string& proxy_id) {
  const std::string text =
      state().pool().address(state().pool().proxy(state().pool().FindProxy(proxy_id)).address).text;
  for (pool::AddressRow& row : StoredAddresses()) {
    if (row.id == text) return row;
  }
  return {};
}

}  // namespace holdfast::testing
