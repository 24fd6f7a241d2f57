#include "tools/judge/update_judge.h"

#include <algorithm>
#include <set>

namespace holdfast::judge {

template <class Update>
UpdateJudge::Head UpdateJudge::HeadOf(const Update& update) {
  return {update.version(),
          update.ownership_epoch(),
          MicrosOf(update.generated_at()),
          MicrosOf(update.valid_until()),
          update.has_valid_until(),
          update.checksum()};
}

void UpdateJudge::Wrong(const SessionRecord& session, const Head& head, std::int64_t at_us, const std::string& what) {
  records_.Report(ViolationKind::kUpdate, at_us,
                  "update (" + std::to_string(head.epoch) + ", " + std::to_string(head.version) + ") to " +
                      Name(session.who) + " in session " + session.id + ": " + what);
}

void UpdateJudge::OnReceived(SessionRecord& session, const wire::SnapshotUpdate& update, std::int64_t at_us) {
  if (update.has_drain()) return;
  if (!update.has_full() && !update.has_delta()) {
    Wrong(session, Head(), at_us, "nothing is set in it");
    return;
  }
  const Head head = update.has_full() ? HeadOf(update.full()) : HeadOf(update.delta());
  const bool first = session.last_received == 0;
  JudgeOrder(session, head, at_us);
  ContentPointer content;
  if (update.has_full()) {
    JudgeGrants(session, head, update.full().proxies(), at_us);
    content = ContentOf(update.full());
  } else {
    if (first) Wrong(session, head, at_us, "the first update of a session is a delta");
    JudgeGrants(session, head, update.delta().upserted(), at_us);
    content = JudgeDelta(session, update.delta(), at_us);
  }
  session.last_received = std::max(session.last_received, head.version);
  session.outstanding = head.version;
  if (!content) return;
  JudgeContent(session, head, *content, at_us);
  const auto known = session.versions.find(head.version);
  if (known != session.versions.end() && known->second.checksum != head.checksum) {
    Wrong(session, head, at_us, "this version came before with another checksum");
  }
  session.versions[head.version] = {head.version, head.valid_until_us, head.checksum, std::move(content)};
}

void UpdateJudge::JudgeOrder(SessionRecord& session, const Head& head, std::int64_t at_us) {
  if (!head.has_valid_until) Wrong(session, head, at_us, "valid_until is absent");
  if (head.epoch != session.epoch) {
    Wrong(session, head, at_us, "its epoch is not the session's " + std::to_string(session.epoch));
  }
  if (head.version <= session.last_received) {
    Wrong(session, head, at_us, "its version is not above " + std::to_string(session.last_received));
  }
  WorkerRecord& worker = records_.workers[session.who.worker];
  // Of another session only what had come before this session was asked for is certainly older.
  if (head.version <= worker.highest_version && worker.highest_version_received_us < session.registered_sent_us) {
    Wrong(session, head, at_us,
          "its version is not above " + std::to_string(worker.highest_version) + ", which came at " +
              std::to_string(worker.highest_version_received_us) + " µs, before this session was asked for");
  }
  if (head.version > worker.highest_version) {
    // What was issued in between and never came may have shown anything.
    if (worker.highest_version != 0 && head.version != worker.highest_version + 1) worker.saw_gap = true;
    worker.highest_version = head.version;
    worker.highest_version_received_us = at_us;
  }
  if (session.outstanding != 0) {
    Wrong(session, head, at_us,
          "version " + std::to_string(session.outstanding) + " is outstanding on this stream, without an answer");
  }
}

ContentPointer UpdateJudge::JudgeDelta(SessionRecord& session, const wire::SnapshotDelta& delta, std::int64_t at_us) {
  const Head head = HeadOf(delta);
  if (!session.takes_deltas) Wrong(session, head, at_us, "a delta to a worker without CAPABILITY_DELTA");
  std::set<std::string> upserted;
  for (const wire::ProxyGrant& grant : delta.upserted()) upserted.insert(grant.proxy_id());
  for (const std::string& removed : delta.removed_proxy_ids()) {
    if (upserted.contains(removed)) Wrong(session, head, at_us, "proxy " + removed + " is both upserted and removed");
  }
  // An ACK that was sent may have been accepted, though its answer is on its way or was lost.
  const std::uint64_t base = delta.base_version();
  const bool accepted = base != 0 && base >= session.accepted && session.acks_sent.contains(base);
  if (!accepted) {
    Wrong(session, head, at_us,
          "its base " + std::to_string(base) + " is not the accepted reference " + std::to_string(session.accepted));
  }
  const auto known = session.versions.find(base);
  if (known == session.versions.end()) return nullptr;
  return ContentAfter(known->second.content, delta);
}

template <class Grants>
void UpdateJudge::JudgeGrants(SessionRecord& session, const Head& head, const Grants& grants, std::int64_t at_us) {
  std::string previous;
  for (const wire::ProxyGrant& grant : grants) {
    const std::string proxy = "proxy " + grant.proxy_id();
    if (grant.proxy_id() <= previous) Wrong(session, head, at_us, proxy + " does not ascend after " + previous);
    previous = grant.proxy_id();
    const bool usable = grant.state() == wire::GRANT_STATE_ACTIVE || grant.state() == wire::GRANT_STATE_SUSPECT;
    const std::int64_t usable_until = MicrosOf(grant.usable_until());
    if (usable && head.generated_us >= usable_until) {
      Wrong(session, head, at_us,
            proxy + " is " + wire::GrantState_Name(grant.state()) + " at " + std::to_string(head.generated_us) +
                " µs, but usable until " + std::to_string(usable_until) + " µs");
    }
    if (grant.state() == wire::GRANT_STATE_DRAINING && head.generated_us >= MicrosOf(grant.expires_at())) {
      Wrong(session, head, at_us, proxy + " is DRAINING after it expired");
    }
    if (grant.state() == wire::GRANT_STATE_UNSPECIFIED || !wire::GrantState_IsValid(grant.state())) {
      Wrong(session, head, at_us, proxy + " has no known state");
    }
    if (!grant.secret_ref().empty() && !session.resolves_secret_refs) {
      Wrong(session, head, at_us, proxy + " has a secret_ref, the worker has no CAPABILITY_SECRET_REF");
    }
    if (usable) records_.shown[session.who].insert(AddressOf(grant));
  }
  for (const wire::ProxyGrant& grant : grants) {
    if (grant.state() != wire::GRANT_STATE_DRAINING || records_.shown[session.who].contains(AddressOf(grant))) continue;
    if (records_.workers[session.who.worker].saw_gap) continue;
    Wrong(session, head, at_us, "proxy " + grant.proxy_id() + " is DRAINING to a process that was never given it");
  }
}

void UpdateJudge::JudgeContent(const SessionRecord& session, const Head& head, const Content& content,
                               std::int64_t at_us) {
  const std::string computed = content.Digest(head.epoch);
  if (computed != head.checksum) {
    records_.Report(ViolationKind::kChecksum, at_us,
                    "update (" + std::to_string(head.epoch) + ", " + std::to_string(head.version) + ") to " +
                        Name(session.who) + " states checksum " + Hex(head.checksum) + ", its content of " +
                        std::to_string(content.proxies.size()) + " proxies and " +
                        std::to_string(content.routings.size()) + " routings gives " + Hex(computed));
  }
  if (session.max_proxies && content.proxies.size() > *session.max_proxies) {
    Wrong(session, head, at_us,
          std::to_string(content.proxies.size()) + " proxies, but it takes " + std::to_string(*session.max_proxies));
  }
}

}  // namespace holdfast::judge
