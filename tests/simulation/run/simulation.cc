#include "tests/simulation/run/simulation.h"

#include <algorithm>

#include "base/check.h"
#include "controller/log_render.h"
#include "replay/verifier.h"
#include "tests/simulation/run/misfortune.h"
#include "tests/simulation/run/rest.h"

namespace holdfast::simulation {
namespace {

constexpr std::size_t kLastEntries = 25;

thread_local const Simulation* current = nullptr;

WorkerIdentity DrawIdentity(Prng& random, std::size_t number) {
  WorkerIdentity identity;
  identity.worker_id = "w" + std::to_string(number + 1);
  identity.zone = random.Chance(1, 2) ? "z1" : "z2";
  identity.takes_deltas = random.Chance(4, 5);
  identity.resolves_secrets = random.Chance(1, 2);
  identity.weight = static_cast<std::uint32_t>(random.Between(1, 3));
  if (random.Chance(1, 3)) identity.max_proxies = static_cast<std::uint32_t>(random.Between(2, 12));
  if (random.Chance(1, 3)) identity.max_message_bytes = static_cast<std::uint32_t>(random.Between(3'000, 6'000));
  return identity;
}

// The first one checks everything: where nothing unchecked is trusted, nothing could be used without it.
CheckerIdentity DrawChecker(Prng& random, std::size_t number) {
  CheckerIdentity identity;
  identity.checker_id = "c" + std::to_string(number + 1);
  identity.zone = random.Chance(1, 2) ? "z1" : "z2";
  for (const auto level : {controlplane::v1::CHECK_LEVEL_BASIC, controlplane::v1::CHECK_LEVEL_EGRESS,
                           controlplane::v1::CHECK_LEVEL_TARGET}) {
    if (number == 0 || random.Chance(3, 4)) identity.levels.push_back(level);
  }
  if (identity.levels.empty()) identity.levels.push_back(controlplane::v1::CHECK_LEVEL_BASIC);
  identity.resolves_secrets = random.Chance(2, 3);
  identity.knows_anonymity = random.Chance(2, 3);
  identity.has_judge = number == 0 || random.Chance(3, 4);
  identity.max_concurrency = static_cast<std::uint32_t>(random.Between(4, 24));
  return identity;
}

ClientIdentity DrawClient(Prng& random, std::size_t number) {
  ClientIdentity identity;
  identity.client_id = "k" + std::to_string(number + 1);
  identity.resolves_secrets = random.Chance(1, 2);
  identity.pace = random.Between(kSecond, 12 * kSecond);
  return identity;
}

// The last entries of a log as people read them.
std::vector<std::string> LastEntries(const EventLog& log) {
  std::vector<std::string> lines;
  const auto reader = log.NewReader(Sequence());
  if (!reader.ok()) return lines;
  BlockView view;
  EntryMessages messages;
  while (true) {
    const auto stored = (*reader)->Next();
    if (!stored.ok() || !stored->has_value() || !view.Parse((*stored)->block, (*stored)->bulk).ok()) break;
    for (const EntryView& entry : view.entries()) {
      if (!ParseEntry(entry, messages).ok()) continue;
      lines.push_back(EntryLine(entry, messages));
      if (lines.size() > kLastEntries) lines.erase(lines.begin());
    }
  }
  return lines;
}

}  // namespace

struct Simulation::Parts {
  explicit Parts(std::uint64_t seed)
      : world(seed),
        network(world),
        store(world),
        controller(world, network, store),
        scene{world, network, controller, hosts, checkers, clients, store, {}, {}, {}, 0},
        pool(PoolOperations()),
        rogues(RogueOperations()),
        ownership(MemberOperations()),
        checks(CheckerOperations()),
        rogue_checkers(RogueCheckerOperations()),
        of_clients(ClientOperations()) {
    operation_rate = static_cast<std::uint32_t>(world.Between(200, 1'500));
    rogue_rate = static_cast<std::uint32_t>(world.Between(0, 800));
  }

  World world;
  Network network;
  StoreServer store;
  Controller controller;
  std::vector<std::unique_ptr<WorkerHost>> hosts;
  std::vector<std::unique_ptr<CheckerHost>> checkers;
  std::vector<std::unique_ptr<ClientHost>> clients;
  Scene scene;
  const std::vector<Operation> pool, rogues, ownership, checks, rogue_checkers, of_clients;
  std::uint32_t operation_rate = 0, rogue_rate = 0;  // of ten thousand steps
};

const Simulation* CurrentSimulation() { return current; }

Simulation::Simulation(const RunOptions& options) : options_(options), parts_(std::make_unique<Parts>(options.seed)) {
  result_.options = options;
  current = this;
}

Simulation::~Simulation() { current = nullptr; }

const Disk& Simulation::disk() const { return parts_->controller.disk(); }

bool Simulation::broken() const { return parts_->world.checkers.violations().any(); }

// In some worlds nobody checks; in some nobody extracts.
void Simulation::StartMembers() {
  Parts& parts = *parts_;
  const std::int64_t hosts = parts.world.Between(2, 5);
  for (std::int64_t i = 0; i < hosts; ++i) {
    parts.hosts.push_back(std::make_unique<WorkerHost>(parts.world, parts.network, parts.controller,
                                                       DrawIdentity(parts.world.random, static_cast<std::size_t>(i))));
  }
  const bool unchecked = parts.controller.settings().trust_unchecked && parts.world.random.Chance(1, 3);
  const std::int64_t checkers = unchecked ? 0 : parts.world.Between(1, 4);
  for (std::int64_t i = 0; i < checkers; ++i) {
    parts.checkers.push_back(std::make_unique<CheckerHost>(
        parts.world, parts.network, parts.controller, DrawChecker(parts.world.random, static_cast<std::size_t>(i))));
  }
  const std::int64_t clients = parts.world.random.Chance(1, 6) ? 0 : parts.world.Between(1, 4);
  for (std::int64_t i = 0; i < clients; ++i) {
    parts.clients.push_back(std::make_unique<ClientHost>(parts.world, parts.network, parts.controller,
                                                         DrawClient(parts.world.random, static_cast<std::size_t>(i))));
  }
}

RunResult Simulation::Run() {
  Parts& parts = *parts_;
  parts.controller.Start();
  StartMembers();
  for (int i = 0; i < 3; ++i) parts.pool.front().run(parts.scene);
  for (; result_.steps_done < options_.steps && !broken(); ++result_.steps_done) Step();
  if (!broken()) BecomeQuiet();
  if (!broken() && options_.verify) VerifyAgain();
  parts.world.checkers.CountJudged();
  result_.simulated = parts.world.time.now();
  result_.happened = parts.world.time.happened();
  result_.starts = parts.controller.starts();
  result_.entries = parts.controller.committed().last().value();
  result_.violation = parts.world.checkers.violations().first();
  result_.rates = parts.world.faults.rates();
  result_.reached = parts.world.checkers.reached();
  if (result_.violation) result_.last_entries = LastEntries(disk().log());
  return result_;
}

void Simulation::Step() {
  Parts& parts = *parts_;
  Prng& random = parts.world.random;
  Misfortune(parts.scene);
  if (random.Chance(parts.operation_rate, 10'000)) RunOne(parts.pool, parts.scene);
  if (random.Chance(parts.operation_rate / 2, 10'000)) RunOne(parts.ownership, parts.scene);
  if (random.Chance(parts.rogue_rate, 10'000)) RunOne(parts.rogues, parts.scene);
  if (random.Chance(parts.operation_rate / 4, 10'000)) RunOne(parts.checks, parts.scene);
  if (random.Chance(parts.rogue_rate / 2, 10'000)) RunOne(parts.rogue_checkers, parts.scene);
  if (random.Chance(parts.operation_rate / 4, 10'000)) RunOne(parts.of_clients, parts.scene);
  Micros passes = parts.world.Between(5 * kMillisecond, 200 * kMillisecond);
  if (random.Chance(1, 4)) passes = parts.world.Between(100 * kMillisecond, 900 * kMillisecond);
  if (random.Chance(1, 20)) passes = parts.world.Between(500 * kMillisecond, 4 * kSecond);
  parts.world.time.RunUntil(parts.world.time.now() + passes, [this] { return broken(); });
  Look();
}

// Who could use what at this instant.
void Simulation::Look() {
  UseChecker& uses = parts_->world.checkers.uses();
  uses.BeginLook(parts_->world.time.now());
  for (const auto& host : parts_->hosts) {
    for (const auto& process : host->processes()) {
      if (!process->alive() || process->paused()) continue;
      for (const std::string& address : process->traffic().Usable()) uses.Could(process->name(), address);
    }
  }
}

void Simulation::BecomeQuiet() {
  Rest rest(parts_->scene);
  std::string missing = "the rest has not begun";
  while (!missing.empty() && !broken()) {
    rest.Pass([this] { return broken(); });
    Look();
    missing = rest.Missing();
    if (missing.empty() || rest.passed() <= rest.Bound()) continue;
    parts_->world.checkers.violations().Add(
        "liveness", missing + ", " + std::to_string(rest.passed() / kSecond) + " s after the last fault");
  }
  result_.quiet_for = rest.passed();
}

// Decides every input again, with the tool that operators use, and reads the chain's end.
void Simulation::VerifyAgain() {
  Violations& violations = parts_->world.checkers.violations();
  parts_->world.checkers.durability().Recovered();
  const auto reader = disk().log().NewReader(Sequence());
  if (!reader.ok()) return violations.Add("verify", reader.status().ToString());
  replay::Verifier verifier;
  BlockView view;
  while (true) {
    const auto stored = (*reader)->Next();
    if (!stored.ok()) return violations.Add("verify", stored.status().ToString());
    if (!stored->has_value()) break;
    const auto verdict = verifier.Check(**stored);
    if (!verdict.ok()) return violations.Add("verify", verdict.status().ToString());
    if (verdict->finding) {
      return violations.Add(
          "verify " + std::string(replay::FindingWord(verdict->finding->kind)),
          "sequence " + std::to_string(verdict->finding->first.value()) + ": " + verdict->finding->text);
    }
    if (view.Parse((*stored)->block, (*stored)->bulk).ok()) {
      constexpr char kDigits[] = "0123456789abcdef";
      result_.chain_hash.clear();
      for (const std::uint8_t byte : view.hash()) {
        result_.chain_hash += kDigits[byte >> 4];
        result_.chain_hash += kDigits[byte & 15];
      }
    }
  }
}

}  // namespace holdfast::simulation
