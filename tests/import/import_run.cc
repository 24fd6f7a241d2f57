#include "tests/import/import_run.h"

namespace holdfast::importer {

std::vector<std::string> ReasonsOf(const RecordingSink& sink) {
  std::vector<std::string> reasons;
  for (const Rejection& rejection : sink.rejections) reasons.emplace_back(ReasonName(rejection.reason));
  return reasons;
}

}  // namespace holdfast::importer
