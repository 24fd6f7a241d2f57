// Writes logs for tests: the real sequencer on a log of the test's choice, with a clock that the test moves, and
// workers that do what it says. Every run gives the same log.
//
// Life cycle: made on an empty log or one that it wrote before (then the next Start recovers). Thread: one. A failed
// append fails the test (CHECK).

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "controller/sequencer.h"
#include "events/event_log.h"

namespace holdfast::testing {

struct WorkerOptions {
  std::string zone = "zone-a";
  std::string instance_id = {};  // empty: the worker's first
  std::string previous_session = {};
  bool deltas = true;
  bool secrets = true;
  std::uint32_t weight = 1;
  std::uint64_t last_version = 0;  // that it remembers
};

struct ProxyOptions {
  std::string secret_ref = {};
  std::string source = {};
  std::string label = {};  // value of "tier"; empty: none
  Duration lifetime{};     // 0: not named
  controlplane::v1::ProxyScheme scheme = controlplane::v1::PROXY_SCHEME_HTTP;
};

class LogMaker {
 public:
  explicit LogMaker(EventLog& log);
  ~LogMaker();

  // A start of the controller: on an empty log a new one, else a recovery.
  void Start(bool bootstrap = true);
  void StartOnAnotherBoot();
  void set_rules_version(std::uint32_t version) { rules_version_ = version; }
  void set_software_version(std::string version) { software_version_ = std::move(version); }

  // Decides an input at the log's time and commits all that follows at once.
  void Send(const log::v1::Input& input, const std::string& principal = "loopback");
  // Offers several before one step, so that they stand in one block.
  void SendTogether(const std::vector<log::v1::Input>& inputs);
  // Moves the clock; what becomes due on the way is decided when it is due.
  void Pass(Duration duration);
  // As Pass, second by second; these workers answer their updates and report.
  void Live(const std::vector<std::string>& workers, int seconds);

  // ---- workers ----
  void Register(const std::string& worker, const WorkerOptions& options = {});
  void Watch(const std::string& worker);
  // Registers, watches, acknowledges: an active session.
  void Join(const std::string& worker, const WorkerOptions& options = {});
  void Acknowledge(const std::string& worker);
  void Refuse(const std::string& worker, const std::string& detail);
  log::v1::Input RuntimeReport(const std::string& worker, std::uint64_t sequence_step = 1, bool draining = false);
  log::v1::Input Outcomes(const std::string& worker, std::uint64_t sequence);

  // ---- the pool ----
  // Proxies NAME1 to NAMEn on made-up public addresses NETWORK.1 to NETWORK.n.
  log::v1::Input Import(const std::string& name, const std::string& network, int count,
                        const ProxyOptions& options = {});
  log::v1::Input Remove(const std::vector<std::string>& proxy_ids);
  log::v1::Input Routings(const std::vector<std::string>& hosts);

  const ControllerState& state() const { return sequencer_->state(); }
  LogTime now() const { return now_; }
  std::string session_of(const std::string& worker) const;
  const WorkerSnapshots& snapshots_of(const std::string& worker) const;

 private:
  void Recover();
  void StartRun(bool bootstrap, bool same_boot);
  void Offer(const log::v1::Input& input, const std::string& principal);
  void Settle();
  void Commit();
  const WorkerRow& Row(const std::string& worker) const;

  EventLog& log_;
  std::uint32_t rules_version_;
  std::string software_version_ = "0.1.0-test";
  int boot_ = 1;
  int sessions_ = 0;
  std::uint64_t streams_ = 0;
  LogTime now_;
  std::unique_ptr<Sequencer> sequencer_;
  std::map<std::string, std::uint64_t> reports_;  // last report_sequence by session
};

// A life of a log that meets every file of rules, several lapses at once, refusals, restarts and removals.
void WriteStory(LogMaker& maker);

// `entries` and more of small entries: reports of workers that live on.
void WriteReports(LogMaker& maker, std::uint64_t entries);

}  // namespace holdfast::testing
