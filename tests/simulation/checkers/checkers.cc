#include "tests/simulation/checkers/checkers.h"

#include "tests/simulation/checkers/known_deviations.h"

namespace holdfast::simulation {

using log::v1::Event;

Checkers::Checkers()
    : durability_(model_, violations_),
      sessions_(model_, violations_, reached_),
      windows_(model_, violations_),
      drains_(model_, windows_, violations_),
      oracle_(violations_, reached_),
      uses_(violations_),
      liveness_(model_, extraction_model_),
      checker_sessions_(model_, checks_, violations_, reached_),
      tasks_(model_, checks_, violations_),
      health_(model_, checks_, violations_, reached_),
      pool_(model_, checks_, violations_),
      guard_(model_, checks_, health_, violations_, reached_),
      health_liveness_(model_, checks_),
      checker_oracle_(model_, checks_, violations_, reached_),
      extractions_(model_, extraction_model_, windows_, violations_),
      extraction_oracle_(model_, checks_, extraction_model_, violations_, reached_),
      store_(model_, checks_, extraction_model_),
      judge_([this](const judge::Violation& violation) {
        const std::string checker = "judge " + std::string(judge::ViolationKindName(violation.kind));
        const KnownDeviation* known = DeviationOf(checker, violation.text);
        if (known != nullptr) return reached_.Count("known deviation", known->name);
        violations_.Add(checker, violation.text);
      }) {}

void Checkers::OnEntry(const Entry& entry) {
  reached_.Count("input", InputNameOf(entry.input));
  durability_.OnEntry(entry);
  windows_.OnEntry(entry);
  drains_.OnEntry(entry);
  oracle_.OnEntry(entry);
  checker_oracle_.OnEntry(entry);
  extraction_oracle_.OnEntry(entry);
  extractions_.OnEntry(entry);
  checker_sessions_.BeforeEntry(entry);
  tasks_.BeforeEntry(entry);
  health_.BeforeEntry(entry);
  pool_.BeforeEntry();
  for (const Event& event : entry.events.events()) {
    CountEvent(event);
    Hear(entry, event);
  }
  tasks_.AfterEntry(entry);
  health_.AfterEntry(entry);
  pool_.AfterEntry(entry);
}

void Checkers::Hear(const Entry& entry, const Event& event) {
  sessions_.Before(entry, event);
  drains_.Before(entry, event);
  windows_.Before(entry, event);
  checker_sessions_.Before(entry, event);
  tasks_.Before(entry, event);
  guard_.Before(entry, event);  // asks the next what had passed before the event
  health_.Before(entry, event);
  pool_.Before(entry, event);
  extractions_.Before(entry, event);
  model_.Apply(event);
  checks_.Apply(entry, event);
  extraction_model_.Apply(entry, event);
  windows_.After(entry, event);
  drains_.After(entry, event);
}

void Checkers::CountEvent(const Event& event) {
  reached_.Count("event", EventNameOf(event));
  if (event.has_input_rejected()) {
    reached_.Count("rejection", controlplane::v1::RejectReason_Name(event.input_rejected().reason()));
  }
  const auto ended = [&](const char* group, controlplane::v1::RejectReason reason) {
    if (reason != 0) reached_.Count(group, controlplane::v1::RejectReason_Name(reason));
  };
  if (event.has_session_detached()) ended("stream end", event.session_detached().reason());
  if (event.has_checker_detached()) ended("task stream end", event.checker_detached().reason());
  if (event.has_alarm_raised()) reached_.Count("alarm", admin::v1::AlarmKind_Name(event.alarm_raised().kind()));
  CountEdges(event);
}

void Checkers::CountEdge(std::uint32_t key, const std::string& to) {
  const ModelAddress* address = model_.Address(key);
  const std::string from = address == nullptr ? "unknown" : HoldStateName(address->hold);
  reached_.Count("ownership edge", from + " to " + to);
}

void Checkers::CountEdges(const Event& event) {
  if (event.has_ownership_granted()) CountEdge(event.ownership_granted().address(), "granted");
  if (event.has_ownership_released()) CountEdge(event.ownership_released().address(), "unowned");
  for (const std::uint32_t key : event.ownership_revoked().addresses()) CountEdge(key, "revoking");
  for (const std::uint32_t key : event.ownership_lapsing().addresses()) CountEdge(key, "lapsing");
  for (const std::uint32_t key : event.ownership_resumed().addresses()) CountEdge(key, "granted");
  for (const std::uint32_t key : event.extraction_prepared().addresses()) CountEdge(key, "extracting");
  for (const std::uint32_t key : event.proxies_extracted().addresses()) CountEdge(key, "extracted");
  for (const std::uint32_t key : event.proxies_extracted().returned()) CountEdge(key, "unowned");
  for (const std::uint32_t key : event.extraction_given_back().addresses()) CountEdge(key, "unowned");
  for (const std::uint32_t key : event.extraction_ended().addresses()) CountEdge(key, "unowned");
  if (event.has_extraction_given_back()) {
    reached_.Count("given back", log::v1::GiveBackReason_Name(event.extraction_given_back().reason()));
  }
  if (event.has_extraction_ended()) {
    reached_.Count("extraction end", audit::v1::EndReason_Name(event.extraction_ended().reason()));
  }
  if (event.has_pool_store_judged()) {
    reached_.Count("store judged", log::v1::PoolStoreVerdict_Name(event.pool_store_judged().verdict()));
  }
}

void Checkers::CountJudged() {
  const judge::Judge::Counts counts = judge_.counts();
  reached_.Count("judged", "updates", counts.updates);
  reached_.Count("judged", "answers", counts.answers);
  reached_.Count("judged", "pairs of holders", counts.holder_comparisons);
  reached_.Count("judged", "calls predicted", oracle_.predictions());
  reached_.Count("judged", "checkers' calls predicted", checker_oracle_.predictions());
  reached_.Count("judged", "observations", tasks_.observations());
  reached_.Count("judged", "changes of health", health_.changes());
  reached_.Count("judged", "uses", uses_.uses());
  reached_.Count("judged", "holds of clients", uses_.holds());
  reached_.Count("judged", "clients' calls predicted", extraction_oracle_.predictions());
  reached_.Count("judged", "extractions", extractions_.extracted());
  reached_.Count("judged", "answers to clients", extractions_.answers());
  reached_.Count("judged", "pairs of users", uses_.comparisons());
}

}  // namespace holdfast::simulation
