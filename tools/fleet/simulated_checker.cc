#include "tools/fleet/simulated_checker.h"

#include <utility>

namespace holdfast::fleet {
namespace {

// Another sequence than the worker's of the same number.
constexpr std::uint64_t kSeedOfCheckers = 0x636865636B6572ULL;

}  // namespace

SimulatedChecker::SimulatedChecker(CheckerEnvironment& environment, std::shared_ptr<client::Scheduler> scheduler,
                                   std::size_t number, std::size_t channel)
    : SimulatedMember(environment.options.faults, std::move(scheduler),
                      environment.options.seed * 1'000'003 + number + kSeedOfCheckers),
      environment_(environment),
      channel_(channel),
      checker_id_(MemberId(environment.options.name + "-checker", number)) {}

std::unique_ptr<CheckerProcess> SimulatedChecker::MakeProcess(std::uint64_t seed) {
  return std::make_unique<CheckerProcess>(environment_, scheduler(), channel_, checker_id_, seed);
}

void SimulatedChecker::OnHeavyDraw(std::uint64_t draw) {
  if (draw < 75) return ChangePace("slow", CheckPace::kSlow);
  if (draw < 82) return LeaveZombie();
  if (draw < 90) return StopReading();
  if (draw < 100) return ChangePace("late", CheckPace::kLate);
}

void SimulatedChecker::ChangePace(const char* name, CheckPace pace) {
  Disturb(
      name, 5'000, 15'000, [this, pace] { process().SetPace(pace); }, [this] { process().SetPace(CheckPace::kUsual); });
}

}  // namespace holdfast::fleet
