#include "tools/checker/question.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace holdfast::checker {

std::string Question::Key() const {
  switch (ask) {
    case Ask::kReach:
      return "echo";
    case Ask::kIdentify:
      return "judge";
    case Ask::kFetch:
      break;
  }
  return absl::StrCat(head ? "HEAD " : "GET ", absl::StrJoin(expected_status, ","), " ", url);
}

bool Question::Expects(std::uint32_t status) const {
  if (expected_status.empty()) return status >= 200 && status <= 399;
  return std::find(expected_status.begin(), expected_status.end(), status) != expected_status.end();
}

}  // namespace holdfast::checker
