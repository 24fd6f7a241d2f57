#include "replay/invariants.h"

#include <absl/strings/str_cat.h>

#include "replay/time_text.h"

namespace holdfast::replay {
namespace {

template <class Checker, class E>
Violation CheckWith(Checker& checker, const E& event, LogTime at) {
  if constexpr (requires { checker.Check(event, at); }) {
    return checker.Check(event, at);
  } else {
    return std::nullopt;  // says nothing about what this one keeps
  }
}

}  // namespace

Violation InvariantChecker::Check(Sequence sequence, LogTime at, const std::vector<Event>& events) {
  if (sequence != Next(last_)) {
    return absl::StrCat("sequence ", sequence.value(), " follows ", last_.value());
  }
  if (at < last_at_) {
    return absl::StrCat("log time goes back from ", TimeText(last_at_), " to ", TimeText(at));
  }
  last_ = sequence;
  last_at_ = at;
  drains_.Begin(sequence);
  health_.Begin(sequence);
  extractions_.Begin(at);
  for (const Event& event : events) {
    Violation violation = std::visit(
        [&](const auto& e) {
          Violation found = CheckWith(sessions_, e, at);
          if (!found) found = CheckWith(windows_, e, at);
          if (!found) found = CheckWith(drains_, e, at);
          if (!found) found = CheckWith(health_, e, at);
          return found ? found : CheckWith(extractions_, e, at);
        },
        event);
    if (violation) return violation;
  }
  return extractions_.Overdue(at);
}

}  // namespace holdfast::replay
