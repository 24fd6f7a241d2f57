#include "controller/log_filter.h"

#include <algorithm>
#include <string_view>

namespace holdfast {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Role = LogFilter::Role;

struct NamedRole {
  std::string_view name;
  Role role;
};

// Numbers in messages of the log are keys by these names alone; a test walks all fields.
constexpr NamedRole kNumbers[] = {
    {"proxy", Role::kProxyKey},      {"proxies", Role::kProxyKey},   {"upserted", Role::kProxyKey},
    {"removed", Role::kProxyKey},    {"address", Role::kAddressKey}, {"addresses", Role::kAddressKey},
    {"shown", Role::kAddressKey},    {"dropped", Role::kAddressKey}, {"deferred", Role::kAddressKey},
    {"draining", Role::kAddressKey}, {"worker", Role::kWorkerKey},   {"waits_for", Role::kAddressKey},
    {"ready", Role::kProxyKey},      {"checker", Role::kCheckerKey}, {"returned", Role::kAddressKey},
};
constexpr NamedRole kTexts[] = {
    {"proxy_id", Role::kProxyId},    {"proxy_ids", Role::kProxyId},  {"worker_id", Role::kMemberId},
    {"checker_id", Role::kMemberId}, {"member_id", Role::kMemberId}, {"session_id", Role::kSessionId},
    {"client_id", Role::kMemberId},
};

template <std::size_t N>
Role Find(const NamedRole (&table)[N], std::string_view name) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const NamedRole& row) { return row.name == name; });
  return found == std::end(table) ? Role::kNone : found->role;
}

}  // namespace

bool IsInputKind(const std::string& name) {
  return name == kDroppedKind || log::v1::Input::descriptor()->FindFieldByName(name) != nullptr;
}

Role LogFilter::RoleOf(const FieldDescriptor& field) {
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_STRING) return Find(kTexts, field.name());
  const bool of_the_log = field.containing_type()->file()->package() == "holdfast.log.v1";
  if (!of_the_log || field.cpp_type() != FieldDescriptor::CPPTYPE_UINT32) return Role::kNone;
  return Find(kNumbers, field.name());
}

LogFilter::LogFilter(LogFilterSettings settings) : settings_(std::move(settings)) {}

void LogFilter::Seed(const ControllerState& state) {
  if (const ProxyKey key = state.pool().FindProxy(settings_.proxy_id); key.value() != 0) {
    proxies_.insert(key.value());
    addresses_.insert(state.pool().proxy(key).address.value());
  }
  const WorkerRow* worker = state.sessions().Find(settings_.member_id);
  const CheckerRow* checker = state.checkers().Find(settings_.member_id);
  if (worker != nullptr) member_.worker = worker->opened.worker.value();
  if (checker != nullptr) member_.checker = checker->opened.checker.value();
  if (settings_.session_id.empty()) return;
  const auto seed = [&](std::uint32_t MemberKeys::*kind, auto key, const auto& row) {
    if (!row.open() || row.opened.session_id.value() != settings_.session_id) return;
    session_.*kind = key.value();
    session_since_ = row.opened_at;
  };
  state.sessions().workers().ForEach([&](WorkerKey key, const auto& row) { seed(&MemberKeys::worker, key, row); });
  state.checkers().checkers().ForEach([&](CheckerKey key, const auto& row) { seed(&MemberKeys::checker, key, row); });
}

const LogFilter::Plan& LogFilter::PlanOf(const Descriptor& type) {
  if (const auto found = plans_.find(&type); found != plans_.end()) return found->second;
  Plan& plan = plans_[&type];  // in its place before its fields are looked at: types may contain themselves
  Plan steps;
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      if (!field->is_map() && !PlanOf(*field->message_type()).empty()) steps.push_back({field, Role::kNone});
    } else if (const Role role = RoleOf(*field); role != Role::kNone) {
      steps.push_back({field, role});
    }
  }
  plan = std::move(steps);
  return plan;
}

void LogFilter::Learn(const log::v1::Event& event) {
  if (event.has_proxy_added() && !settings_.proxy_id.empty() &&
      event.proxy_added().spec().proxy_id() == settings_.proxy_id) {
    proxies_.insert(event.proxy_added().proxy());
    addresses_.insert(event.proxy_added().address());
  }
  if (event.has_session_opened()) {
    const auto& opened = event.session_opened();
    LearnOpened(opened, opened.worker_id(), &MemberKeys::worker, opened.worker());
  }
  if (event.has_checker_opened()) {
    const auto& opened = event.checker_opened();
    LearnOpened(opened, opened.checker_id(), &MemberKeys::checker, opened.checker());
  }
}

template <class Opened>
void LogFilter::LearnOpened(const Opened& opened, const std::string& member_id, std::uint32_t MemberKeys::*kind,
                            std::uint32_t key) {
  if (member_id == settings_.member_id) member_.*kind = key;
  if (opened.session_id() != settings_.session_id) return;
  session_.*kind = key;
  session_since_ = at_;
}

void LogFilter::LookAtNumber(Role role, std::uint32_t key, Seen& seen) const {
  if (key == 0) return;
  if (role == Role::kProxyKey) seen.proxy |= proxies_.contains(key);
  if (role == Role::kAddressKey) seen.proxy |= addresses_.contains(key);
  if (role != Role::kWorkerKey && role != Role::kCheckerKey) return;
  const auto kind = role == Role::kWorkerKey ? &MemberKeys::worker : &MemberKeys::checker;
  seen.member |= key == member_.*kind;
  seen.session |= key == session_.*kind && at_ >= session_since_;
}

void LogFilter::LookAtText(Role role, const std::string& text, Seen& seen) const {
  if (text.empty()) return;
  if (role == Role::kProxyId) seen.proxy |= text == settings_.proxy_id;
  if (role == Role::kMemberId) seen.member |= text == settings_.member_id;
  if (role == Role::kSessionId) seen.session |= text == settings_.session_id;
}

void LogFilter::LookAtField(const Message& message, const Step& step, Seen& seen) {
  const Reflection* reflection = message.GetReflection();
  const bool repeated = step.field->is_repeated();
  const int count = repeated ? reflection->FieldSize(message, step.field) : 1;
  std::string scratch;
  for (int i = 0; i < count && WantsMore(seen); ++i) {
    if (step.role == Role::kNone) {
      if (!repeated && !reflection->HasField(message, step.field)) return;
      Look(repeated ? reflection->GetRepeatedMessage(message, step.field, i)
                    : reflection->GetMessage(message, step.field),
           seen);
    } else if (step.field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      LookAtText(step.role,
                 repeated ? reflection->GetRepeatedStringReference(message, step.field, i, &scratch)
                          : reflection->GetStringReference(message, step.field, &scratch),
                 seen);
    } else {
      LookAtNumber(
          step.role,
          repeated ? reflection->GetRepeatedUInt32(message, step.field, i) : reflection->GetUInt32(message, step.field),
          seen);
    }
  }
}

void LogFilter::Look(const Message& message, Seen& seen) {
  for (const Step& step : PlanOf(*message.GetDescriptor())) {
    if (!WantsMore(seen)) return;
    LookAtField(message, step, seen);
  }
}

bool LogFilter::WantsMore(const Seen& seen) const {
  return (!settings_.proxy_id.empty() && !seen.proxy) || (!settings_.member_id.empty() && !seen.member) ||
         (!settings_.session_id.empty() && !seen.session);
}

bool LogFilter::Matches(const EntryView& entry, const EntryMessages& messages) {
  at_ = entry.at;
  Seen seen;
  if (WantsMore(seen)) {
    for (const log::v1::Event& event : messages.events.events()) Learn(event);
    if (!messages.input_dropped) Look(messages.input, seen);
    Look(messages.events, seen);
    for (const log::v1::Event& event : messages.events.events()) Forget(event);
  }
  if (WantsMore(seen)) return false;
  const std::vector<std::string>& kinds = settings_.kinds;
  return kinds.empty() || std::find(kinds.begin(), kinds.end(), EntryKind(messages)) != kinds.end();
}

void LogFilter::Forget(const log::v1::Event& event) {
  if (event.has_session_closed() && event.session_closed().session_id() == settings_.session_id) session_.worker = 0;
  if (event.has_checker_closed() && event.checker_closed().session_id() == settings_.session_id) session_.checker = 0;
}

}  // namespace holdfast
