#include "server/status_metrics.h"

#include <initializer_list>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

#include "pool/projector.h"
#include "server/status_names.h"

namespace holdfast::server {
namespace {

using audit::v1::GetStatusResponse;
using prometheus::ClientMetric;
using prometheus::MetricFamily;
using Labels = std::initializer_list<std::pair<std::string_view, std::string_view>>;

double Seconds(const google::protobuf::Duration& duration) {
  return static_cast<double>(duration.seconds()) + duration.nanos() / 1e9;
}

MetricFamily Family(std::string_view name, std::string_view help) {
  MetricFamily family;
  family.name = "holdfast_" + std::string(name);
  family.help = help;
  family.type = prometheus::MetricType::Gauge;
  return family;
}

void Add(MetricFamily& family, Labels labels, double value) {
  ClientMetric metric;
  for (const auto& [name, word] : labels) metric.label.push_back({std::string(name), std::string(word)});
  metric.gauge.value = value;
  family.metric.push_back(std::move(metric));
}

MetricFamily Single(std::string_view name, std::string_view help, double value) {
  MetricFamily family = Family(name, help);
  Add(family, {}, value);
  return family;
}

double CountAt(const google::protobuf::Map<std::string, std::uint64_t>& counts, const std::string& key) {
  const auto found = counts.find(key);
  return found == counts.end() ? 0 : static_cast<double>(found->second);
}

// Those whose first word stands for "not said".
template <class Names>
auto Said(const Names& names) {
  return std::ranges::subrange(names.begin() + 1, names.end());
}

MetricFamily Build(const GetStatusResponse& status) {
  MetricFamily family = Family("build_info", "1; who speaks, under which rules, of which log");
  const std::string rules = std::to_string(status.rules_version());
  Add(family, {{"version", status.software_version()}, {"rules_version", rules}, {"log_id", status.log_id()}}, 1);
  return family;
}

MetricFamily SessionCounts(const GetStatusResponse& status) {
  MetricFamily family = Family("sessions", "Open sessions, by kind and state");
  for (const std::string_view kind : {kWorkerName, kCheckerName}) {
    for (const std::string_view state : Said(kSessionNames)) {
      if (state == "closed") continue;
      const double count = CountAt(status.sessions(), StatusKey(kind, state));
      Add(family, {{"kind", kind}, {"state", state}}, count);
    }
  }
  return family;
}

MetricFamily ProxyCounts(const GetStatusResponse& status) {
  MetricFamily family = Family("proxies", "Proxies, by state in the pool and by ownership of their address");
  for (const std::string_view pool : Said(kPoolNames)) {
    for (const std::string_view ownership : Said(kOwnershipNames)) {
      const double count = CountAt(status.proxies(), StatusKey(pool, ownership));
      Add(family, {{"pool", pool}, {"ownership", ownership}}, count);
    }
  }
  return family;
}

MetricFamily UncheckedAges(const GetStatusResponse& status) {
  MetricFamily family =
      Family("unchecked_age_seconds", "How long the check that is due longest waits for a checker, by level");
  for (const std::string_view level : Said(kLevelNames)) {
    const auto found = status.unchecked_age().find(std::string(level));
    Add(family, {{"level", level}}, found == status.unchecked_age().end() ? 0 : Seconds(found->second));
  }
  return family;
}

MetricFamily ExtractionCounts(const GetStatusResponse& status) {
  MetricFamily family = Family("extractions", "Extractions that are not over, by phase");
  for (const std::string_view phase : kExtractionNames) {
    Add(family, {{"phase", phase}}, CountAt(status.extractions(), std::string(phase)));
  }
  return family;
}

MetricFamily PoolConditions(const GetStatusResponse& status) {
  MetricFamily family = Family("pool_condition", "1 for the condition that the pool store is in, else 0");
  for (std::size_t phase = 0; phase <= static_cast<std::size_t>(pool::ProjectorPhase::kSuperseded); ++phase) {
    const std::string_view name = pool::PhaseName(static_cast<pool::ProjectorPhase>(phase));
    Add(family, {{"condition", name}}, status.pool_condition() == name ? 1 : 0);
  }
  return family;
}

double EntriesBehind(const GetStatusResponse& status) {
  const std::uint64_t last = status.last_sequence(), applied = status.pool_applied_sequence();
  return applied >= last ? 0 : static_cast<double>(last - applied);
}

void PutLog(const GetStatusResponse& status, std::vector<MetricFamily>& out) {
  out.push_back(Single("log_first_sequence", "The first entry that is kept", status.first_sequence()));
  out.push_back(Single("log_last_sequence", "The last entry", status.last_sequence()));
  out.push_back(Single("log_verified_sequence", "How far the log was decided again in this run and found equal",
                       status.verified_sequence()));
  out.push_back(Single("log_bytes", "The log on disk", status.log_bytes()));
  out.push_back(Single("disk_free_bytes", "Room where the log stands; 0: not known", status.disk_free_bytes()));
  out.push_back(Single("since_last_commit_seconds", "Age of the last committed block",  //
                       Seconds(status.since_last_commit())));
  out.push_back(Single("clock_offset_seconds", "The log's clock less the wall clock", Seconds(status.clock_offset())));
  out.push_back(Single("queue_bytes", "Inputs that wait to be decided", status.queue_bytes()));
}

void PutPool(const GetStatusResponse& status, std::vector<MetricFamily>& out) {
  out.push_back(PoolConditions(status));
  out.push_back(Single("pool_lag_seconds", "How long the oldest committed change waits to be written to the store",
                       Seconds(status.pool_lag())));
  out.push_back(
      Single("pool_lag_entries", "Entries between the store's position and the log's end", EntriesBehind(status)));
  out.push_back(Single("pool_rows_waiting", "Rows that wait to be written to the store", status.pool_rows_waiting()));
  out.push_back(Single("pool_rows_written", "Rows of the resync under way that are written",  //
                       status.pool_rows_written()));
  out.push_back(ExtractionCounts(status));
}

}  // namespace

std::vector<MetricFamily> MetricsOf(const GetStatusResponse* status) {
  constexpr std::string_view kServing = "1 while every call is served; 0 also while the log is being recovered";
  if (status == nullptr) return {Single("serving", kServing, 0)};
  std::vector<MetricFamily> out;
  out.push_back(Single("serving", kServing, status->serving()));
  out.push_back(Single("holding_off", "1 while nothing is granted, or no session expires, for safety after a start",
                       status->has_hold_off_until()));
  out.push_back(Build(*status));
  out.push_back(Single("start_time_seconds", "When this run started, since 1970",
                       static_cast<double>(status->started_at().seconds())));
  out.push_back(Single("alarms", "Alarms that stand", static_cast<double>(status->alarms())));
  out.push_back(SessionCounts(*status));
  out.push_back(ProxyCounts(*status));
  out.push_back(UncheckedAges(*status));
  out.push_back(Single("checks_outstanding", "Tasks under way at checkers", status->checks_outstanding()));
  PutLog(*status, out);
  PutPool(*status, out);
  return out;
}

}  // namespace holdfast::server
