// A controller without clock, log or network, for stories of rules: inputs are decided by the real rules and folded by
// the real projections, one entry after the other, and time moves only when the story says so.
//
// Every update that is issued passes an oracle (window_oracle.h): Faults() must stay empty in every story.
// Thread: a plain object of one test.

#pragma once

#include <functional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "controller/decide.h"
#include "tests/controller/window_oracle.h"

namespace holdfast::testing {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

inline constexpr LogTime kStart = LogTimeFromMicros(1'800'000'000'000'000);
inline constexpr std::uint64_t kBase = std::uint64_t{1'800'000'000} << 20;  // of a log created at kStart

// A worker process as the story drives it.
struct Worker {
  std::string id;
  std::string instance;
  std::string session;
  std::uint64_t epoch = 0;
  std::uint64_t stream = 0;
  std::uint64_t report = 0;  // the last report_sequence
};

struct Running {
  std::string proxy_id;
  std::uint32_t active = 0;
  std::uint32_t reserved = 0;
};

struct LoggedEntry {
  EntryPoint point;
  std::string principal;
  log::v1::Input input;
  std::vector<Event> events;
};

// As they come, but what is imported counts as available: these stories have no checkers.
inline Settings Trusting() {
  Settings settings;
  settings.trust_unchecked = true;
  return settings;
}

// So that what is imported is granted to the last.
inline Settings WithoutReserve() {
  Settings settings = Trusting();
  settings.reserve_ppm = 0;
  return settings;
}

class Story {
 public:
  // bootstrap: a new log that need not wait.
  explicit Story(const Settings& settings = WithoutReserve(), bool bootstrap = true);

  LogTime now() const { return now_; }
  const ControllerState& state() const { return state_; }
  const std::vector<LoggedEntry>& entries() const { return entries_; }
  const std::vector<std::string>& faults() const { return oracle_.faults(); }
  const WindowOracle& oracle() const { return oracle_; }

  void Advance(Duration duration) { now_ += duration; }
  // Moves in steps, with everything that is due at each of them.
  void AdvanceInSteps(
      Duration duration, Duration step, const std::function<void()>& each = [] {});

  // Decides an input now and folds what follows. The decision is kept until the next one.
  const Decision& When(const log::v1::Input& input);
  const Decision& last() const { return last_; }

  // The daemon stops and starts again, `downtime` later; its settings may have changed.
  void Restart(bool same_boot, Duration downtime);
  void ChangeSettings(const Settings& settings) { settings_ = settings; }

  // What the sequencer does by itself, until nothing follows.
  void TickOwnership();
  void TickSessions();
  void Place();
  void Check();
  void IssueDue();
  void Settle();

  // ---- workers -----------------------------------------------------------------------------------------------------
  using Edit = std::function<void(controlplane::v1::RegisterWorkerRequest&)>;
  // Requires: it is accepted.
  Worker Register(const std::string& id, const std::string& instance = "i1", const Edit& edit = {});
  const Decision& TryRegister(const std::string& id, const std::string& instance, const Edit& edit = {});
  // The same process with a new session.
  Worker Reconnect(const Worker& worker, const Edit& edit = {});
  const Decision& Watch(Worker& worker, std::uint64_t last_version = 0, const std::string& last_checksum = "");
  const Decision& StreamEnds(const Worker& worker);
  // version 0: the latest that was issued.
  const Decision& Ack(const Worker& worker, std::uint64_t version = 0);
  const Decision& AckWith(const Worker& worker, std::uint64_t version, const std::string& checksum);
  const Decision& Nack(const Worker& worker, std::uint64_t version = 0);
  // Registered, watching, and its first snapshot acknowledged; what is placed then is issued and acknowledged as well.
  Worker Active(const std::string& id, const Edit& edit = {});
  // Acknowledges what is outstanding to it, again and again, until nothing is.
  void Drink(const Worker& worker);
  const Decision& Report(Worker& worker, const std::vector<Running>& counters = {}, bool draining = false);
  const Decision& ReportAs(const Worker& worker, std::uint64_t sequence, const std::vector<Running>& counters = {},
                           const std::function<void(controlplane::v1::ReportRuntimeRequest&)>& edit = {});
  const Decision& Outcomes(const Worker& worker, std::uint64_t sequence, const std::vector<std::string>& proxy_ids);

  // ---- operators ---------------------------------------------------------------------------------------------------
  admin::v1::ImportProxiesResponse Import(const std::vector<admin::v1::ProxySpec>& items, std::uint64_t import = 0,
                                          std::uint64_t first_index = 0);
  admin::v1::RemoveProxiesResponse Remove(const std::vector<std::string>& proxy_ids);
  admin::v1::ImportProxiesResponse RemoveUnnamed(const std::string& source, std::uint64_t import,
                                                 std::uint32_t limit = 500);
  const Decision& Apply(const std::vector<admin::v1::RoutingSpec>& routings);

  // ---- what is ------------------------------------------------------------------------------------------------------
  WorkerKey Key(const std::string& worker_id) const;
  const WorkerSnapshots& SnapshotsOf(const std::string& worker_id) const;
  const WorkerRow& SessionOf(const std::string& worker_id) const { return *state_.sessions().Find(worker_id); }
  // The content of the latest update.
  Content View(const std::string& worker_id) const;
  std::uint64_t LatestVersion(const std::string& worker_id) const {
    return SnapshotsOf(worker_id).last_version.value();
  }
  std::uint64_t AcceptedVersion(const std::string& worker_id) const;
  const HoldRow& HoldOf(const std::string& proxy_id) const;
  LogTime OwnedUntil(const std::string& proxy_id) const;
  // The worker that holds the proxy's address; empty: nobody.
  std::string OwnerOf(const std::string& proxy_id) const;
  OwnershipState OwnershipOf(const std::string& proxy_id) const { return HoldOf(proxy_id).state; }

 private:
  void Start(bool same_boot, bool bootstrap);
  void Observe(const Event& event);
  controlplane::v1::RegisterWorkerRequest RegisterRequest(const std::string& id, const std::string& instance) const;

  ControllerState state_;
  Settings settings_;
  LogTime now_ = kStart;
  std::uint64_t drawn_ = 0;  // session ids and streams
  std::uint64_t boots_ = 1;
  Decision last_;
  std::vector<LoggedEntry> entries_;
  WindowOracle oracle_;
};

// ---- items of an import ----------------------------------------------------------------------------------

// http://198.18.0.<number>:8080 with no more than that.
admin::v1::ProxySpec Item(int number, const std::function<void(admin::v1::ProxySpec&)>& edit = {});
std::vector<admin::v1::ProxySpec> Items(int from, int to);
// The id that Item(number) is given.
std::string IdOf(int number);
google::protobuf::Timestamp Time(LogTime time);

admin::v1::RoutingSpec Routing(const std::string& id, const std::string& pattern = "*");

// ---- what a decision says --------------------------------------------------------------------------------

// kUnspecified: it was not refused.
RejectReason ReasonOf(const Decision& decision);
template <class R>
const R& ReplyOf(const Decision& decision) {
  return std::get<R>(decision.reply);
}

template <class E>
std::vector<E> EventsOf(const std::vector<Event>& events) {
  std::vector<E> found;
  for (const Event& event : events) {
    if (const E* one = std::get_if<E>(&event)) found.push_back(*one);
  }
  return found;
}
template <class E>
std::vector<E> EventsOf(const Decision& decision) {
  return EventsOf<E>(decision.events);
}
// Their names, in order.
std::vector<std::string> NamesOf(const Decision& decision);

}  // namespace holdfast::testing
