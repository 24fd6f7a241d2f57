// Tells the judge a story of one honest controller and its workers, step by step; a test plants one wrong thing in it.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/judge/judge.h"

namespace holdfast::judge {

constexpr std::int64_t kSecond = 1'000'000;
// Log time is boot time plus this.
constexpr std::int64_t kLogOffset = 1'700'000'000 * kSecond;

inline google::protobuf::Timestamp Stamp(std::int64_t micros) {
  google::protobuf::Timestamp time;
  time.set_seconds(micros / kSecond);
  time.set_nanos(static_cast<std::int32_t>(micros % kSecond) * 1'000);
  return time;
}

inline wire::ProxyGrant GrantOf(const std::string& id, const std::string& host,
                                wire::GrantState state = wire::GRANT_STATE_ACTIVE) {
  wire::ProxyGrant grant;
  grant.set_proxy_id(id);
  grant.mutable_endpoint()->set_scheme(wire::PROXY_SCHEME_HTTP);
  grant.mutable_endpoint()->set_host(host);
  grant.mutable_endpoint()->set_port(8080);
  grant.set_capacity(10);
  *grant.mutable_expires_at() = Stamp(kLogOffset + 100'000 * kSecond);
  *grant.mutable_usable_until() = Stamp(kLogOffset + 99'000 * kSecond);
  grant.set_state(state);
  return grant;
}

class Story {
 public:
  Story() : judge_([this](Violation violation) { violations.push_back(std::move(violation)); }) {}

  std::int64_t now = 1'000 * kSecond;
  std::vector<Violation> violations;

  std::int64_t LogNow() const { return kLogOffset + now; }
  static Who Process(const std::string& worker, const std::string& instance) {
    return {WorkerId(worker), InstanceId(instance)};
  }

  void Hear(const Who& who, What what) { judge_.Hear({now, who, std::move(what)}); }

  RegisterAnswered Registration(const Who& who, const std::string& session, std::uint64_t epoch) const {
    RegisterAnswered answered;
    answered.request.set_worker_id(who.worker.value());
    answered.request.set_instance_id(who.instance.value());
    answered.request.set_supported_protocol_version(1);
    answered.request.set_min_protocol_version(1);
    answered.request.add_capabilities(wire::WORKER_CAPABILITY_DELTA);
    answered.response.set_session_id(session);
    answered.response.set_ownership_epoch(epoch);
    answered.response.set_protocol_version(1);
    answered.response.set_session_state(wire::SESSION_STATE_HANDSHAKING);
    answered.response.set_log_id("log");
    answered.response.set_max_batch(10'000);
    answered.response.mutable_session_ttl()->set_seconds(15);
    answered.response.mutable_report_interval()->set_seconds(1);
    answered.response.mutable_max_stale_age()->set_seconds(30);
    answered.response.mutable_lapse_grace()->set_seconds(10);
    answered.response.mutable_ack_timeout()->set_seconds(5);
    answered.response.mutable_runtime_ttl()->set_seconds(3);
    *answered.response.mutable_server_time() = Stamp(LogNow());
    answered.sent_us = now;
    return answered;
  }
  void Register(const Who& who, const std::string& session, std::uint64_t epoch) {
    RegisterAnswered answered = Registration(who, session, epoch);
    Hear(who, RegisterSent{answered.request});
    Hear(who, std::move(answered));
    wire::WatchSnapshotsRequest watch;
    watch.set_session_id(session);
    Hear(who, WatchOpened{watch});
  }

  wire::SnapshotUpdate Full(std::uint64_t epoch, std::uint64_t version, std::int64_t valid_seconds,
                            const std::vector<wire::ProxyGrant>& grants) const {
    wire::SnapshotUpdate update;
    wire::WorkerSnapshot& full = *update.mutable_full();
    full.set_version(version);
    full.set_ownership_epoch(epoch);
    *full.mutable_generated_at() = Stamp(LogNow());
    *full.mutable_valid_until() = Stamp(LogNow() + valid_seconds * kSecond);
    for (const wire::ProxyGrant& grant : grants) *full.add_proxies() = grant;
    full.set_checksum(ContentOf(full)->Digest(epoch));
    return update;
  }
  // A delta that changes nothing but the end.
  wire::SnapshotUpdate Renewal(const wire::SnapshotUpdate& of, std::uint64_t version, std::int64_t valid_seconds,
                               std::uint64_t base = 0) const {
    wire::SnapshotUpdate update;
    wire::SnapshotDelta& delta = *update.mutable_delta();
    delta.set_base_version(base == 0 ? of.full().version() : base);
    delta.set_version(version);
    delta.set_ownership_epoch(of.full().ownership_epoch());
    *delta.mutable_generated_at() = Stamp(LogNow());
    *delta.mutable_valid_until() = Stamp(LogNow() + valid_seconds * kSecond);
    delta.set_checksum(of.full().checksum());
    return update;
  }

  void Receive(const Who& who, const std::string& session, const wire::SnapshotUpdate& update) {
    Hear(who, UpdateReceived{session, update});
  }
  AckAnswered Ack(const Who& who, const std::string& session, const wire::SnapshotUpdate& update) const {
    AckAnswered answered;
    answered.request.set_worker_id(who.worker.value());
    answered.request.set_session_id(session);
    const bool full = update.has_full();
    answered.request.set_version(full ? update.full().version() : update.delta().version());
    answered.request.set_checksum(full ? update.full().checksum() : update.delta().checksum());
    answered.request.set_accepted(true);
    answered.response.set_session_state(wire::SESSION_STATE_ACTIVE);
    answered.response.set_accepted_version(answered.request.version());
    *answered.response.mutable_server_time() = Stamp(LogNow());
    answered.sent_us = now;
    return answered;
  }
  // Received, taken, acknowledged.
  void Take(const Who& who, const std::string& session, const wire::SnapshotUpdate& update) {
    Receive(who, session, update);
    AckAnswered answered = Ack(who, session, update);
    Hear(who, UpdateTaken{session, answered.request.version()});
    Hear(who, AckSent{answered.request});
    Hear(who, std::move(answered));
  }
  ReportAnswered Report(const std::string& session, std::uint64_t sequence, std::uint64_t version) const {
    ReportAnswered answered;
    answered.request.set_session_id(session);
    answered.request.set_report_sequence(sequence);
    answered.request.set_snapshot_version(version);
    answered.response.set_accepted_sequence(sequence);
    answered.response.set_session_state(wire::SESSION_STATE_ACTIVE);
    *answered.response.mutable_server_time() = Stamp(LogNow());
    answered.sent_us = now;
    return answered;
  }
  static CallEnd Refused(int code, wire::RejectReason reason) {
    CallEnd end;
    end.code = code;
    end.detail.emplace();
    end.detail->set_reason(reason);
    return end;
  }

  // The kinds of all violations so far.
  std::vector<ViolationKind> Kinds() const {
    std::vector<ViolationKind> kinds;
    for (const Violation& violation : violations) kinds.push_back(violation.kind);
    return kinds;
  }
  std::string Texts() const {
    std::string texts;
    for (const Violation& violation : violations) texts += violation.text + "\n";
    return texts;
  }
  const Judge& judge() const { return judge_; }

 private:
  Judge judge_;
};

}  // namespace holdfast::judge
