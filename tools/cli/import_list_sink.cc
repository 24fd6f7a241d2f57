#include "tools/cli/import_list_sink.h"

#include <string>
#include <utility>

namespace holdfast::cli {

ImportListSink::ImportListSink(const ImportSettings& settings, ImportTally& tally, ImportProgress& progress, Take take,
                               TakeName take_name)
    : settings_(settings),
      tally_(tally),
      progress_(progress),
      take_(std::move(take)),
      take_name_(std::move(take_name)) {}

bool ImportListSink::OnAccepted(importer::Item item) {
  for (const auto& [key, value] : settings_.labels) item.labels[key] = value;
  ++accepted_;
  progress_.CountRead();
  return take_(item, {file_, item.position.line});
}

void ImportListSink::OnDuplicate(const importer::Duplicate& duplicate) {
  tally_.CountDuplicates(1);
  if (duplicate.password_differs) ++other_passwords_;
}

void ImportListSink::OnRejected(const importer::Rejection& rejection) {
  tally_.Reject({file_, rejection.position.line, std::string(ReasonName(rejection.reason)),
                 std::string(ReasonAdvice(rejection.reason))});
  if (!rejection.proxy_id.empty()) take_name_(rejection.proxy_id, {file_, rejection.position.line, true});
}

}  // namespace holdfast::cli
