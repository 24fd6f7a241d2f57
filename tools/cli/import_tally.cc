#include "tools/cli/import_tally.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "tools/cli/enum_word.h"

namespace holdfast::cli {
namespace {

using admin::v1::ImportProxiesResponse;

// Empty: it fits.
std::string WhyUnfit(const ImportBatch& batch, const ImportProxiesResponse& answer, std::uint64_t first_index) {
  const std::uint64_t size = batch.origins.size();
  if (answer.first_index() != first_index || answer.count() != size) {
    return "it answered " + std::to_string(answer.count()) + " items from " + std::to_string(answer.first_index()) +
           " on, where " + std::to_string(size) + " from " + std::to_string(first_index) + " on were due";
  }
  const std::uint64_t sum = answer.added() + answer.updated() + answer.unchanged() + answer.rejected();
  if (sum != size) {
    return "its counts add up to " + std::to_string(sum) + " of " + std::to_string(size) + " items";
  }
  for (const auto& rejection : answer.rejections()) {
    if (rejection.index() < first_index || rejection.index() - first_index >= size) {
      return "it rejects item " + std::to_string(rejection.index()) + ", which is not in the batch";
    }
  }
  return "";
}

}  // namespace

void ImportTally::CountDuplicates(std::uint64_t count) {
  std::lock_guard lock(mutex_);
  lists_.duplicates += count;
}

void ImportTally::CountSkipped(std::uint64_t count) {
  std::lock_guard lock(mutex_);
  lists_.skipped += count;
}

void ImportTally::Reject(RejectedLine rejection) {
  std::lock_guard lock(mutex_);
  ++lists_.rejected;
  if (list_rejections_.size() < most_rejections_) list_rejections_.push_back(std::move(rejection));
}

std::string ImportTally::CountAnswer(const ImportBatch& batch, const ImportProxiesResponse& answer,
                                     std::uint64_t first_index) {
  std::string unfit = WhyUnfit(batch, answer, first_index);
  if (!unfit.empty()) return unfit;
  std::lock_guard lock(mutex_);
  answers_.added += answer.added();
  answers_.updated += answer.updated();
  answers_.unchanged += answer.unchanged();
  answers_.removed += answer.removed();
  answers_.log_sequence = std::max(answers_.log_sequence, answer.log_sequence());
  const auto named = static_cast<std::uint64_t>(
      std::count_if(batch.origins.begin(), batch.origins.end(), [](const ImportOrigin& at) { return at.only_named; }));
  answers_.rejected += answer.rejected() - std::min(answer.rejected(), named);
  for (const auto& rejection : answer.rejections()) {
    const ImportOrigin& origin = batch.origins[rejection.index() - first_index];
    if (origin.only_named || answer_rejections_.size() >= most_rejections_) continue;
    answer_rejections_.push_back({origin.file, origin.line, EnumWord(rejection.reason()), rejection.detail()});
  }
  return "";
}

void ImportTally::ForgetAnswers() {
  std::lock_guard lock(mutex_);
  answers_ = {};
  answer_rejections_.clear();
}

ImportCounts ImportTally::counts() const {
  std::lock_guard lock(mutex_);
  ImportCounts sum = answers_;
  sum.duplicates = lists_.duplicates;
  sum.skipped = lists_.skipped;
  sum.rejected += lists_.rejected;
  return sum;
}

std::vector<RejectedLine> ImportTally::rejections() const {
  std::lock_guard lock(mutex_);
  std::vector<RejectedLine> all = list_rejections_;
  all.insert(all.end(), answer_rejections_.begin(), answer_rejections_.end());
  std::stable_sort(all.begin(), all.end(), [](const RejectedLine& a, const RejectedLine& b) {
    return std::tie(a.file, a.line) < std::tie(b.file, b.line);
  });
  if (all.size() > most_rejections_) all.resize(most_rejections_);
  return all;
}

}  // namespace holdfast::cli
