#include "replay/period_check.h"

#include <absl/strings/str_cat.h>
#include <xxhash.h>

#include <utility>

#include "controller/period_rows.h"

namespace holdfast::replay {
namespace {

constexpr std::size_t kRowsAtOnce = 1000;

std::uint64_t HashOf(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

std::string Told(const OwnershipPeriod& period) {
  return absl::StrCat("worker ", period.worker_id, "'s time with proxy ", period.proxy_id, ", granted at sequence ",
                      period.granted_sequence.value());
}

}  // namespace

void PeriodCheck::Expect(const std::vector<OwnershipPeriod>& ended) {
  std::vector<SideRow> rows;
  for (const OwnershipPeriod& period : ended) {
    rows.clear();
    AppendPeriodRows(period, rows);
    for (const SideRow& row : rows) {
      expected_.insert_or_assign(HashOf(row.key), Expected{HashOf(row.value), period.ended_sequence});
      ++rows_;
    }
  }
}

void PeriodCheck::Found(Sequence sequence, std::string text) {
  if (finding_ && finding_->first <= sequence) return;
  finding_ = Finding{.kind = FindingKind::kOwnershipPeriod,
                     .first = sequence,
                     .last = sequence,
                     .text = std::move(text),
                     .differences = {}};
}

void PeriodCheck::CompareRow(const SideRow& row, Sequence last) {
  const auto expected = expected_.find(HashOf(row.key));
  const absl::StatusOr<OwnershipPeriod> period = ReadPeriodRow(row.value);
  if (expected == expected_.end()) {
    if (!period.ok()) return Found(Sequence(1), "a row of ownership_periods is malformed, and no block wrote it");
    if (period->ended_sequence <= last) {
      Found(period->ended_sequence, absl::StrCat("ownership_periods holds ", Told(*period), ", which no event gives"));
    }
    return;
  }
  const Expected wanted = expected->second;
  expected_.erase(expected);
  if (wanted.value_hash == HashOf(row.value)) return;
  Found(wanted.ended, period.ok()
                          ? absl::StrCat("ownership_periods tells ", Told(*period), " otherwise than the events do")
                          : std::string("a row of ownership_periods is malformed"));
}

absl::StatusOr<std::optional<Finding>> PeriodCheck::Compare(const EventLog& log, Sequence last) {
  std::string after;
  while (true) {
    const absl::StatusOr<std::vector<SideRow>> rows = log.OwnershipPeriods("", after, kRowsAtOnce);
    if (!rows.ok()) return rows.status();
    for (const SideRow& row : *rows) CompareRow(row, last);
    if (rows->size() < kRowsAtOnce) break;
    after = rows->back().key;
  }
  for (const auto& [key, wanted] : expected_) {
    Found(wanted.ended, "a row of ownership_periods that this entry wrote is missing");
  }
  return finding_;
}

}  // namespace holdfast::replay
