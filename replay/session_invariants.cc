#include "replay/session_invariants.h"

#include <absl/strings/str_cat.h>

namespace holdfast::replay {
namespace {

std::string Named(const std::string& worker_id) { return absl::StrCat("worker ", worker_id); }

}  // namespace

SessionInvariants::Member* SessionInvariants::Find(WorkerKey worker) {
  const std::size_t key = worker.value();
  return key == 0 || key > members_.size() ? nullptr : &members_[key - 1];
}

SessionInvariants::Member* SessionInvariants::FindOpen(WorkerKey worker, const char* event, Violation& violation) {
  Member* member = Find(worker);
  if (member == nullptr) {
    violation = absl::StrCat(event, " names worker key ", worker.value(), ", which was never assigned");
    return nullptr;
  }
  if (member->open()) return member;
  violation = absl::StrCat(event, " of ", Named(member->worker_id), ", which has no open session");
  return nullptr;
}

Violation SessionInvariants::CheckLineage(const SessionOpened& event, const Member& member) const {
  const std::uint64_t epoch = event.epoch.value();
  if (event.new_instance && epoch <= member.epoch) {
    return absl::StrCat("epoch ", epoch, " of a new instance of ", Named(event.worker_id.value()),
                        " is not above the last one, ", member.epoch);
  }
  if (!event.new_instance && (epoch != member.epoch || event.instance_id.value() != member.instance_id)) {
    return absl::StrCat("a session of ", Named(event.worker_id.value()),
                        " says that it is the same process as the last, ", "but has epoch ", epoch, " and instance ",
                        event.instance_id.value(), " where the last had ", member.epoch, " and ", member.instance_id);
  }
  if (event.version_floor.value() < member.version) {
    return absl::StrCat("version floor ", event.version_floor.value(), " of ", Named(event.worker_id.value()),
                        " is below version ", member.version, ", which was issued");
  }
  return std::nullopt;
}

Violation SessionInvariants::Check(const SessionOpened& event, LogTime) {
  const std::size_t key = event.worker.value();
  if (key == members_.size() + 1) {
    members_.emplace_back().worker_id = event.worker_id.value();
    if (!event.new_instance)
      return absl::StrCat("the first session of ", Named(event.worker_id.value()), " continues none");
  }
  Member* member = Find(event.worker);
  if (member == nullptr || member->worker_id != event.worker_id.value()) {
    return absl::StrCat("worker key ", key, " does not belong to ", Named(event.worker_id.value()));
  }
  if (member->open()) {
    return absl::StrCat("session ", event.session_id.value(), " opened while ", member->session_id,
                        " of the same worker is open");
  }
  if (!session_ids_.insert(event.session_id.value()).second) {
    return absl::StrCat("session id ", event.session_id.value(), " was used before");
  }
  if (Violation violation = CheckLineage(event, *member)) return violation;
  Member opened;
  opened.worker_id = std::move(member->worker_id);
  opened.instance_id = event.instance_id.value();
  opened.session_id = event.session_id.value();
  opened.epoch = event.epoch.value();
  opened.life = Life::kHandshaking;
  opened.version = event.version_floor.value();
  opened.session_first = event.version_floor.value() + 1;
  opened.outcome_sequence = member->outcome_sequence;
  *member = std::move(opened);
  return std::nullopt;
}

Violation SessionInvariants::Check(const SessionActivated& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "session_activated", violation);
  if (member == nullptr) return violation;
  if (member->life != Life::kHandshaking) {
    return absl::StrCat("session ", member->session_id, " became active although it was not handshaking");
  }
  member->life = Life::kActive;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SessionAttached& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "session_attached", violation);
  if (member == nullptr) return violation;
  if (member->stream != 0 || event.stream.value() == 0) {
    return absl::StrCat("session ", member->session_id, " got stream ", event.stream.value(), " while it had stream ",
                        member->stream);
  }
  member->stream = event.stream.value();
  member->outstanding = 0;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SessionDetached& event, LogTime) {
  Member* member = Find(event.worker);
  if (member == nullptr || member->stream != event.stream.value() || member->stream == 0) {
    return absl::StrCat("stream ", event.stream.value(), " ended, but is not the one of worker key ",
                        event.worker.value());
  }
  member->stream = 0;
  member->outstanding = 0;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SessionHeard& event, LogTime) {
  Violation violation;
  FindOpen(event.worker, "session_heard", violation);
  return violation;
}

Violation SessionInvariants::Check(const SessionDraining& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "session_draining", violation);
  if (member == nullptr) return violation;
  if (member->life != Life::kActive && member->life != Life::kDraining) {
    return absl::StrCat("session ", member->session_id, " began to drain although it was not active");
  }
  member->life = Life::kDraining;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SessionClosed& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "session_closed", violation);
  if (member == nullptr) return violation;
  if (member->session_id != event.session_id.value()) {
    return absl::StrCat("session ", event.session_id.value(), " closed, but the open one is ", member->session_id);
  }
  member->life = Life::kClosed;
  member->stream = 0;
  member->outstanding = 0;
  member->holds_accepted = false;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SnapshotIssued& event, LogTime at) {
  Violation violation;
  Member* member = FindOpen(event.worker, "snapshot_issued", violation);
  if (member == nullptr) return violation;
  const std::uint64_t version = event.version.value();
  const std::string update = absl::StrCat("version ", version, " for ", Named(member->worker_id));
  if (member->stream == 0) return absl::StrCat(update, " was issued, but it has no stream");
  if (event.epoch.value() != member->epoch) {
    return absl::StrCat(update, " has epoch ", event.epoch.value(), ", its session has ", member->epoch);
  }
  if (version != member->version + 1) return absl::StrCat(update, " does not follow version ", member->version);
  if (member->outstanding != 0) {
    return absl::StrCat(update, " was issued while version ", member->outstanding, " is not answered");
  }
  if (event.base.value() != 0 && (!member->holds_accepted || event.base.value() != member->accepted)) {
    return absl::StrCat(update, " is a delta on version ", event.base.value(), ", which is not the accepted one");
  }
  if (event.valid_until <= at) return absl::StrCat(update, " was issued when its validity was over");
  member->version = version;
  member->outstanding = version;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SnapshotAcknowledged& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "snapshot_acknowledged", violation);
  if (member == nullptr) return violation;
  const std::uint64_t version = event.version.value();
  const std::string reference = absl::StrCat("accepted version ", version, " of ", Named(member->worker_id));
  if (version < member->session_first || version > member->version) {
    return absl::StrCat(reference, " was not issued to its session, which was issued ", member->session_first, " to ",
                        member->version);
  }
  if (version <= member->accepted)
    return absl::StrCat(reference, " does not grow: ", member->accepted, " was accepted");
  if (version <= member->refused) return absl::StrCat(reference, " was refused before, with version ", member->refused);
  member->accepted = version;
  member->holds_accepted = true;
  member->fenced = false;
  if (member->outstanding == version) member->outstanding = 0;
  return std::nullopt;
}

Violation SessionInvariants::Check(const SnapshotRefused& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "snapshot_refused", violation);
  if (member == nullptr) return violation;
  const std::uint64_t version = event.version.value();
  if (version < member->session_first || version > member->version) {
    return absl::StrCat("refused version ", version, " of ", Named(member->worker_id),
                        " was not issued to its session");
  }
  member->refused = std::max(member->refused, version);
  member->fenced = true;
  member->holds_accepted = false;
  if (member->outstanding <= version) member->outstanding = 0;
  return std::nullopt;
}

Violation SessionInvariants::Check(const UpdateAbandoned& event, LogTime) {
  Member* member = Find(event.worker);
  if (member == nullptr || member->outstanding == 0 || member->outstanding != event.version.value()) {
    return absl::StrCat("version ", event.version.value(), " was given up, but is not outstanding for worker key ",
                        event.worker.value());
  }
  member->outstanding = 0;
  return std::nullopt;
}

Violation SessionInvariants::Check(const RuntimeAccepted& event, LogTime) {
  Violation violation;
  Member* member = FindOpen(event.worker, "runtime_accepted", violation);
  if (member == nullptr) return violation;
  const std::string report = absl::StrCat("report ", event.report_sequence, " of ", Named(member->worker_id));
  if (member->fenced) return absl::StrCat(report, " was accepted behind a fence");
  if (!member->holds_accepted) return absl::StrCat(report, " was accepted without an accepted snapshot");
  if (event.report_sequence <= member->report_sequence) {
    return absl::StrCat(report, " was accepted after report ", member->report_sequence);
  }
  if (event.proxies.size() != event.active.size() || event.proxies.size() != event.reserved.size()) {
    return absl::StrCat(report, " names ", event.proxies.size(), " proxies and another number of counters");
  }
  member->report_sequence = event.report_sequence;
  return std::nullopt;
}

Violation SessionInvariants::Check(const OutcomesAccepted& event, LogTime) {
  Member* member = Find(event.worker);
  if (member == nullptr || event.sequence <= member->outcome_sequence) {
    return absl::StrCat("outcomes ", event.sequence, " of worker key ", event.worker.value(), " were accepted ",
                        member == nullptr ? "of no known worker" : absl::StrCat("after ", member->outcome_sequence));
  }
  member->outcome_sequence = event.sequence;
  return std::nullopt;
}

Violation SessionInvariants::CheckCurrent(WorkerKey worker, Epoch epoch, const SessionId& session_id,
                                          const char* event) {
  Violation violation;
  const Member* member = FindOpen(worker, event, violation);
  if (member == nullptr) return violation;
  if (member->epoch == epoch.value() && member->session_id == session_id.value()) return std::nullopt;
  return absl::StrCat(event, " to session ", session_id.value(), " with epoch ", epoch.value(), ", but ",
                      Named(member->worker_id), " has session ", member->session_id, " with epoch ", member->epoch);
}

Violation SessionInvariants::Check(const OwnershipGranted& event, LogTime) {
  if (Violation violation = CheckCurrent(event.worker, event.epoch, event.session_id, "ownership_granted")) {
    return violation;
  }
  const Member& member = *Find(event.worker);
  if (member.life == Life::kActive && member.stream != 0 && !member.fenced) return std::nullopt;
  return absl::StrCat("address ", event.address_text, " was granted to ", Named(member.worker_id),
                      ", which is not active, or detached, or fenced");
}

Violation SessionInvariants::Check(const OwnershipResumed& event, LogTime) {
  return CheckCurrent(event.worker, event.epoch, event.session_id, "ownership_resumed");
}

}  // namespace holdfast::replay
