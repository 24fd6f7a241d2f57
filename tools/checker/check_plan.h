// From a task to the transfer that answers it, or to the reason why there will be none.
//
// Pure but for the nonce that is drawn; any thread. Everything that a task names is looked at here, before anything is
// dialled: it came over the wire and may hold anything.

#pragma once

#include <optional>
#include <string>
#include <variant>

#include "base/random.h"
#include "controlplane/v1/controlplane.pb.h"
#include "tools/checker/address_policy.h"
#include "tools/checker/check_settings.h"
#include "tools/checker/secret_book.h"
#include "tools/checker/transfer.h"
#include "tools/checker/trouble.h"

namespace holdfast::checker {

struct PlanContext {
  const CheckSettings& settings;
  const AddressPolicy& policy;
  const SecretBook& secrets;
  RandomSource& random;
};

// How long a task may take, and the last part of it that is kept for looking at the direct path.
struct TimeBudget {
  Duration total{};    // of the task and of its target, the shorter; at most ten minutes
  Duration reserve{};  // for the direct path: a fifth, but 300 ms to 1.5 s; half where there is so little
  Duration margin{};   // what an answer needs to get out
};

struct CheckPlan {
  TransferOrder order;  // its timeout is set when it begins
  TimeBudget budget;
};

std::variant<CheckPlan, Trouble> MakePlan(const controlplane::v1::CheckTask& task, const PlanContext& context);

TimeBudget BudgetOf(Duration total);

// With a nonce of its own. Requires: settings.judge_url is not empty.
Question JudgeQuestion(const CheckSettings& settings, RandomSource& random);

// Where a URL that may be asked leads: http or https, with a host, without a user. Nothing for any other text.
std::optional<HostAndPort> ParseUrlToAsk(const std::string& url);

}  // namespace holdfast::checker
