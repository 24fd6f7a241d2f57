// Checks and health by the rules alone, without server, disk or dialling:
//   what a check costs the sequencer, scheduled and reduced, at two sizes of the pool: it must not depend on the size;
//   how long after a proxy's death its address is asked back, against the rules' bound, by simulated time;
//   a simulated day whose judges break by the hour: the share of living proxies that was demoted, guarded or not.
//
// usage: health_bench [--part deaths|day|cost] [--small N] [--large N] [--checks N] [--day-proxies N]

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/rig.h"
#include "controller/check_due.h"

namespace holdfast::bench {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::size_t kCheckers = 4;

struct Arguments {
  std::size_t small = 100'000;
  std::size_t large = 1'000'000;
  std::size_t checks = 200'000;
  std::size_t day_proxies = 2'000;
  std::string part = "all";
  bool runs(const char* which) const { return part == "all" || part == which; }
};

double Seconds(Duration duration) { return static_cast<double>(duration.count()) / 1e6; }

// What a check finds, and when its observation is there.
struct Finding {
  bool passes = true;
  Duration after{};
};
using Finds = std::function<Finding(const CheckIssued& check, LogTime now)>;

class Ward {
 public:
  Ward(const Settings& settings, Finds finds) : rig_(settings), finds_(std::move(finds)) {
    rig_.Observe([this](const Event& event, const EntryPoint& point) { Note(event, point); });
    ApplyRouting();
    for (std::size_t i = 0; i < kCheckers; ++i) Register("checker-" + std::to_string(i));
  }

  // Everybody answers and reports, tick by tick.
  void Live(Duration duration, Duration tick) {
    for (Duration passed{}; passed < duration; passed += tick) {
      Time(issuing_, [&] { rig_.Step(tick); });
      Settle();
      Answer();
      if (rig_.now() - heard_at_ < seconds(1)) continue;
      heard_at_ = rig_.now();
      for (Checker& checker : checkers_) Report(checker, {});
      for (const auto& member : rig_.members()) {
        if (member->version > 0) rig_.Submit(rig_.Report(*member, 0));
      }
      rig_.Commit();
    }
  }

  // Until so many checks were made and nothing waits.
  void Check(std::size_t checks) {
    while (checks_ < checks || IsCheckDue(state(), rig_.now())) Live(milliseconds(100), milliseconds(100));
  }

  void StartCount() {
    issuing_ = reducing_ = 0;
    checks_ = 0;
  }
  std::uint64_t checks() const { return checks_; }
  double issuing() const { return issuing_; }    // seconds of the sequencer, committing included
  double reducing() const { return reducing_; }  // the same

  Rig& rig() { return rig_; }
  const ControllerState& state() { return rig_.sequencer().state(); }

  // Hears of every event.
  Rig::Observer also;

 private:
  struct Checker {
    std::string id;
    std::string session;
    CheckerKey key;
    std::uint64_t sequence = 0;
  };
  struct Found {
    CheckIssued check;
    bool passes = true;
  };

  template <class Work>
  static void Time(double& total, Work&& work) {
    const auto before = std::chrono::steady_clock::now();
    work();
    total += std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  }

  void ApplyRouting() {
    log::v1::Input input;
    auto* routing = input.mutable_apply_routings()->add_routings();
    routing->mutable_routing()->set_routing_id("shop");
    routing->add_targets()->set_url("http://198.18.0.1/");
    rig_.Submit(input);
    rig_.Commit();
  }

  void Register(const std::string& id) {
    log::v1::Input input;
    auto* request = input.mutable_register_checker()->mutable_request();
    request->set_checker_id(id);
    request->set_instance_id(id + "-1");
    request->set_supported_protocol_version(1);
    request->set_max_concurrency(100'000);
    for (int level = 1; level <= 3; ++level) request->add_levels(static_cast<controlplane::v1::CheckLevel>(level));
    input.mutable_register_checker()->set_session_id("session-" + id);
    rig_.Submit(input);
    log::v1::Input watch;
    watch.mutable_watch_tasks()->mutable_request()->set_checker_id(id);
    watch.mutable_watch_tasks()->mutable_request()->set_session_id("session-" + id);
    watch.mutable_watch_tasks()->set_stream(1'000'000 + checkers_.size());
    rig_.Submit(watch);
    rig_.Commit();
    checkers_.push_back({id, "session-" + id, state().checkers().Find(id)->opened.checker, 0});
  }

  void Note(const Event& event, const EntryPoint& point) {
    if (const auto* issued = std::get_if<CheckIssued>(&event)) {
      const Finding finding = finds_(*issued, point.at);
      under_way_.emplace(point.at + finding.after, Found{*issued, finding.passes});
    }
    if (also) also(event, point);
  }

  // Lets the sequencer go on at this instant until no more is due.
  void Settle() {
    for (bool more = true; more;) {
      Time(issuing_, [&] {
        rig_.Step();
        more = rig_.sequencer().HasBlock();
        rig_.Commit();
      });
    }
  }

  void Answer() {
    std::map<CheckerKey, std::vector<Found>> found;
    const auto end = under_way_.upper_bound(rig_.now());
    for (auto due = under_way_.begin(); due != end; ++due) found[due->second.check.checker].push_back(due->second);
    under_way_.erase(under_way_.begin(), end);
    for (Checker& checker : checkers_) {
      const std::vector<Found>& all = found[checker.key];
      constexpr std::size_t kBatch = 500;
      for (std::size_t first = 0; first < all.size(); first += kBatch) {
        Report(checker, {all.begin() + static_cast<std::ptrdiff_t>(first),
                         all.begin() + static_cast<std::ptrdiff_t>(std::min(first + kBatch, all.size()))});
      }
    }
  }

  void Report(Checker& checker, const std::vector<Found>& found) {
    namespace wire = controlplane::v1;
    log::v1::Input input;
    auto* request = input.mutable_report_observations()->mutable_request();
    request->set_checker_id(checker.id);
    request->set_session_id(checker.session);
    request->set_sequence(++checker.sequence);
    for (const Found& one : found) {
      const CheckIssued& check = one.check;
      auto* seen = request->add_observations();
      seen->set_task_id(std::to_string(check.task.value()));
      seen->set_proxy_id(state().pool().proxy(check.proxy).spec->proxy_id.value());
      seen->set_level(static_cast<wire::CheckLevel>(check.level));
      if (check.level == CheckLevel::kTarget) seen->set_routing_id("shop");
      seen->set_verdict(one.passes ? wire::VERDICT_PASS : wire::VERDICT_FAIL);
      seen->set_phase(wire::OUTCOME_PHASE_DIAL);
      seen->set_error(one.passes ? wire::OUTCOME_ERROR_NONE : wire::OUTCOME_ERROR_TIMEOUT);
    }
    checks_ += found.size();
    rig_.sequencer().Offer(MakeCommand(input, kLoopbackPrincipal, "bench", nullptr));
    Time(reducing_, [&] {
      rig_.Step();
      rig_.Commit();
    });
  }

  Rig rig_;
  const Finds finds_;
  std::vector<Checker> checkers_;
  std::multimap<LogTime, Found> under_way_;  // by when its observation is there
  LogTime heard_at_;
  double issuing_ = 0, reducing_ = 0;
  std::uint64_t checks_ = 0;
};

// ---- what a check costs ------------------------------------------------------------------------------------------

// Micros of the sequencer for one check, scheduled, observed and reduced, in a pool where all is well and at rest.
double PrintCost(std::size_t proxies, std::size_t checks) {
  const Settings settings;
  Ward ward(settings, [](const CheckIssued&, LogTime) { return Finding{true, milliseconds(200)}; });
  ward.rig().Import(0, proxies, hours(24));
  ward.Check(3 * proxies);
  const double count = static_cast<double>(proxies);
  const double need = count / Seconds(settings.basic_interval) + count / Seconds(settings.egress_interval) +
                      count / Seconds(settings.target_interval);
  ward.Live(seconds(2), milliseconds(100));
  ward.StartCount();
  while (ward.checks() < checks) ward.Live(seconds(1), milliseconds(100));
  const auto done = static_cast<double>(ward.checks());
  const double all = ward.issuing() + ward.reducing();
  std::printf(
      "%9zu proxies x 3 levels: %.0f checks/s scheduled and reduced, %.1f us each (scheduled %.1f, reduced %.1f); the "
      "intervals ask for %.0f/s: %.1f times over\n",
      proxies, done / all, 1e6 * all / done, 1e6 * ward.issuing() / done, 1e6 * ward.reducing() / done, need,
      done / all / need);
  std::fflush(stdout);
  return all / done;
}

// ---- from a death to the revoke ------------------------------------------------------------------------------------

void PrintDeaths(bool refuses) {
  constexpr std::size_t kProxies = 1'000, kDeaths = 100;
  std::map<ProxyKey, LogTime> died;
  std::map<AddressKey, LogTime> death_of;
  std::vector<double> taken;
  Settings settings;
  settings.reserve_ppm = 0;
  Ward ward(settings, [&](const CheckIssued& check, LogTime) {
    const bool dead = died.contains(check.proxy);
    return Finding{!dead, dead && !refuses ? Duration(settings.basic_timeout) : Duration(milliseconds(200))};
  });
  ward.also = [&](const Event& event, const EntryPoint& point) {
    const auto* revoked = std::get_if<OwnershipRevoked>(&event);
    if (revoked == nullptr || revoked->reason != RevokeReason::kHealth) return;
    for (const AddressKey address : revoked->addresses) taken.push_back(Seconds(point.at - death_of.at(address)));
  };
  for (int i = 0; i < 4; ++i) ward.rig().Join("worker-" + std::to_string(i), 20'000);
  ward.rig().Import(0, kProxies, hours(24));
  ward.Live(minutes(3), milliseconds(100));
  for (std::size_t i = 0; i < kDeaths; ++i) {
    const ProxyKey dies(static_cast<std::uint32_t>(1 + i * (kProxies / kDeaths)));
    died.emplace(dies, ward.rig().now());
    death_of.emplace(ward.state().pool().proxy(dies).address, ward.rig().now());
    ward.Live(seconds(11),
              milliseconds(100));  // so that they come at all phases of an interval, and never many at once
  }
  ward.Live(minutes(5), milliseconds(100));
  std::sort(taken.begin(), taken.end());
  const auto again = static_cast<double>(settings.failures_to_unhealthy - 1);
  const double bound = Seconds(settings.basic_interval) + again * Seconds(settings.suspect_interval) +
                       (refuses ? 0 : (again + 1) * Seconds(settings.basic_timeout));
  std::printf(
      "a death, %-24s asked back after %.1f s (median), %.1f s (worst), %zu of %zu; the rules' bound is %.0f s: %.2f, "
      "%.2f\n",
      refuses ? "seen at once:" : "seen by timeouts only:", taken[taken.size() / 2], taken.back(), taken.size(),
      kDeaths, bound, taken[taken.size() / 2] / bound, taken.back() / bound);
  std::fflush(stdout);
}

// ---- a day with broken judges --------------------------------------------------------------------------------------

// Whether what a checker says has nothing to do with the proxy then.
bool IsBroken(const CheckIssued& check, Duration time_of_day) {
  const auto within = [&](int first, int last) { return time_of_day >= hours(first) && time_of_day < hours(last); };
  if (within(2, 3)) return check.level == CheckLevel::kEgress;  // the judge of addresses answers nonsense
  if (within(8, 9)) return check.checker == CheckerKey(1);      // one of the checkers finds everything dead
  if (within(14, 16)) return check.level == CheckLevel::kTarget;
  return within(20, 21);  // the uplink of all is gone, and nobody notices
}

// One in fifty is dead for ever; one in twenty dies once in the day, for an hour.
bool IsDead(ProxyKey proxy, Duration time_of_day) {
  const std::uint64_t number = proxy.value();
  if (number % 50 == 0) return true;
  if (number % 20 != 1) return false;
  const Duration dies = minutes(number * 7919 % (23 * 60));
  return time_of_day >= dies && time_of_day < dies + hours(1);
}

void PrintDay(std::size_t proxies, bool guarded) {
  Settings settings;
  settings.default_lifetime = hours(48);
  if (!guarded) settings.guard_minimum = proxies + 1;
  LogTime begin;
  std::set<ProxyKey> wrongly;
  std::size_t demotions = 0, wrong = 0;
  Ward ward(settings, [&](const CheckIssued& check, LogTime now) {
    return Finding{!IsBroken(check, now - begin) && !IsDead(check.proxy, now - begin), milliseconds(300)};
  });
  begin = ward.rig().now();
  ward.also = [&](const Event& event, const EntryPoint& point) {
    const auto* changed = std::get_if<ProxyStateChanged>(&event);
    if (changed == nullptr || changed->state != PoolState::kUnhealthy) return;
    ++demotions;
    // One that has just come back may still be found dead by what began before.
    const Duration now = point.at - begin;
    if (IsDead(changed->proxy, now) || IsDead(changed->proxy, std::max(Duration(0), now - seconds(1)))) return;
    ++wrong;
    wrongly.insert(changed->proxy);
  };
  ward.rig().Import(0, proxies, hours(48));
  ward.Live(hours(24), seconds(1));
  std::printf(
      "a day with broken judges, %-12s %zu proxies, %llu checks, %zu demotions; %zu of them wrong: %.4f of the "
      "proxies (aim: 0)\n",
      guarded ? "guarded:" : "unguarded:", proxies, static_cast<unsigned long long>(ward.checks()), demotions, wrong,
      static_cast<double>(wrongly.size()) / static_cast<double>(proxies));
  std::fflush(stdout);
}

}  // namespace
}  // namespace holdfast::bench

int main(int argc, char** argv) {
  holdfast::bench::Arguments arguments;
  CLI::App app(
      "Checks and health by the rules alone: their cost, from a death to the revoke, a day with broken judges.");
  app.add_option("--small", arguments.small)->check(CLI::Range(1'000, 1'200'000))->capture_default_str();
  app.add_option("--large", arguments.large)->check(CLI::Range(1'000, 1'200'000))->capture_default_str();
  app.add_option("--checks", arguments.checks, "to time at each size")->check(CLI::Range(1'000, 100'000'000));
  app.add_option("--day-proxies", arguments.day_proxies)->check(CLI::Range(100, 100'000))->capture_default_str();
  app.add_option("--part", arguments.part, "only this")->check(CLI::IsMember({"all", "deaths", "day", "cost"}));
  CLI11_PARSE(app, argc, argv);
  using namespace holdfast::bench;
  if (arguments.runs("deaths")) {
    PrintDeaths(true);
    PrintDeaths(false);
  }
  if (arguments.runs("day")) {
    PrintDay(arguments.day_proxies, true);
    PrintDay(arguments.day_proxies, false);
  }
  if (!arguments.runs("cost")) return 0;
  const double small = PrintCost(arguments.small, arguments.checks);
  const double large = PrintCost(arguments.large, arguments.checks);
  std::printf("a check at %zu proxies costs %.2f of one at %zu\n", arguments.large, large / small, arguments.small);
}
