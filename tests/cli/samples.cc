#include "tests/cli/samples.h"

#include "tests/cli/cli_run.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

google::protobuf::Timestamp At(std::int64_t seconds_from_now) {
  return ToTimestamp(kTestNowMicros + seconds_from_now * kSecond);
}

}  // namespace

audit::v1::GetStatusResponse SampleStatus() {
  audit::v1::GetStatusResponse status;
  status.set_software_version("0.1.0");
  status.set_log_id("0123456789abcdef0123456789abcdef");
  status.set_first_sequence(1);
  status.set_last_sequence(12345);
  status.set_chain_hash(std::string(32, '\xab'));
  status.set_state_digest(std::string(16, '\xcd'));
  *status.mutable_log_time() = At(0);
  status.set_verified_sequence(12300);
  status.set_role(audit::v1::ROLE_LEADER);
  status.set_pool_backend("embedded");
  status.set_pool_applied_sequence(12345);
  status.set_pool_condition("ready");
  status.mutable_pool_lag()->set_seconds(2);
  status.set_pool_rows_waiting(120);
  (*status.mutable_extractions())["asked"] = 1;
  (*status.mutable_extractions())["standing"] = 12;
  status.set_serving(true);
  *status.mutable_hold_off_until() = At(25);
  status.set_hold_off_because("the log was recovered on another boot");
  status.set_rules_version(1);
  status.set_config_hash(std::string(32, '\xef'));
  status.set_insecure(true);
  (*status.mutable_sessions())["worker/active"] = 8;
  (*status.mutable_sessions())["worker/draining"] = 1;
  (*status.mutable_proxies())["available/granted"] = 4000;
  (*status.mutable_proxies())["available/unowned"] = 12;
  status.set_checks_outstanding(1200);
  (*status.mutable_unchecked_age())["basic"].set_seconds(7);
  (*status.mutable_unchecked_age())["target"].set_seconds(90);
  status.set_alarms(2);
  status.set_queue_bytes(2048);
  status.mutable_since_last_commit()->set_nanos(12'000'000);
  status.set_disk_free_bytes(std::uint64_t{120} << 30);
  status.set_log_bytes(3 << 20);
  status.mutable_clock_offset()->set_nanos(2'000'000);
  *status.mutable_started_at() = At(-3 * 86400);
  return status;
}

admin::v1::ProxyStatus SampleProxy(const std::string& host) {
  admin::v1::ProxyStatus proxy;
  auto& spec = *proxy.mutable_spec();
  spec.set_proxy_id("http://cred-1@" + host + ":8080");
  spec.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_HTTP);
  spec.mutable_endpoint()->set_host(host);
  spec.mutable_endpoint()->set_port(8080);
  spec.set_capacity(5);
  *spec.mutable_expires_at() = At(86400);
  spec.set_secret_ref("cred-1");
  (*spec.mutable_labels())["country"] = "DE";
  spec.set_zone("eu");
  spec.set_source("shop");
  proxy.set_pool_state(admin::v1::POOL_STATE_AVAILABLE);
  proxy.set_ownership_state(admin::v1::OWNERSHIP_STATE_GRANTED);
  proxy.set_owner_worker_id("worker-1");
  proxy.set_ownership_epoch(1'788'220'800ull << 20);
  *proxy.mutable_owned_until() = At(40);
  *proxy.mutable_usable_until() = At(86340);
  proxy.set_active(2);
  proxy.set_reserved(1);
  proxy.set_available_capacity(2);
  auto& health = *proxy.add_health();
  health.set_level(controlplane::v1::CHECK_LEVEL_BASIC);
  health.set_state(admin::v1::HEALTH_STATE_AVAILABLE);
  health.set_consecutive_passes(3);
  *health.mutable_last_observed_at() = At(-5);
  health.mutable_last_latency()->set_nanos(80'000'000);
  health.set_last_error(controlplane::v1::OUTCOME_ERROR_NONE);
  return proxy;
}

admin::v1::SessionStatus SampleSession(const std::string& member) {
  admin::v1::SessionStatus session;
  session.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  session.set_member_id(member);
  session.set_instance_id("instance-1");
  session.set_session_id("00112233445566778899aabbccddeeff");
  session.set_zone("eu");
  session.set_state(controlplane::v1::SESSION_STATE_ACTIVE);
  session.set_inflight_count(7);
  *session.mutable_opened_at() = At(-600);
  *session.mutable_last_heartbeat_at() = At(-1);
  *session.mutable_expires_at() = At(14);
  session.set_ownership_epoch(1'788'220'800ull << 20);
  session.set_accepted_version(41);
  session.set_issued_version(42);
  session.set_owned_proxies(500);
  session.set_eligible(true);
  session.set_attached(true);
  session.set_sync(admin::v1::SNAPSHOT_SYNC_PENDING);
  session.set_peer("loopback");
  session.set_software_version("0.1.0");
  return session;
}

admin::v1::SessionStatus SampleChecker(const std::string& member) {
  admin::v1::SessionStatus session;
  session.set_kind(controlplane::v1::SESSION_KIND_CHECKER);
  session.set_member_id(member);
  session.set_instance_id("instance-1");
  session.set_session_id("00112233445566778899aabbccddeeff");
  session.set_zone("eu");
  session.set_state(controlplane::v1::SESSION_STATE_ACTIVE);
  session.set_inflight_count(12);
  session.set_queued_request_count(3);
  *session.mutable_opened_at() = At(-600);
  *session.mutable_last_heartbeat_at() = At(-2);
  *session.mutable_expires_at() = At(13);
  session.set_eligible(true);
  session.set_attached(true);
  session.set_peer("loopback");
  session.set_software_version("0.1.0");
  return session;
}

admin::v1::SessionStatus SampleDraining(const std::string& member) { return Draining(SampleSession(member)); }

admin::v1::SessionStatus Draining(admin::v1::SessionStatus session) {
  session.set_state(controlplane::v1::SESSION_STATE_DRAINING);
  session.set_draining(true);
  session.set_eligible(false);
  session.set_drain_reason(controlplane::v1::DRAIN_REASON_OPERATOR);
  *session.mutable_drain_started_at() = At(-60);
  *session.mutable_drain_deadline_at() = At(60);
  return session;
}

admin::v1::DrainProgress SampleProgress(std::uint64_t proxies, std::uint64_t requests,
                                        const std::vector<std::string>& holding_up) {
  admin::v1::DrainProgress progress;
  *progress.mutable_session() = SampleDraining("worker-1");
  progress.set_proxies_left(proxies);
  progress.set_requests_left(requests);
  for (const std::string& id : holding_up) progress.add_holding_up(id);
  return progress;
}

admin::v1::DrainProgress SampleDrainEnd(admin::v1::CloseReason reason, std::uint64_t proxies) {
  admin::v1::DrainProgress end = SampleProgress(proxies, 0, {});
  end.mutable_session()->set_state(controlplane::v1::SESSION_STATE_CLOSED);
  end.mutable_session()->set_draining(false);
  end.mutable_session()->set_close_reason(reason);
  end.set_done(true);
  return end;
}

admin::v1::ProxyHealth SampleHealth(const std::string& proxy_id) {
  admin::v1::ProxyHealth health;
  health.set_proxy_id(proxy_id);
  auto& basic = *health.add_health();
  basic.set_level(controlplane::v1::CHECK_LEVEL_BASIC);
  basic.set_state(admin::v1::HEALTH_STATE_AVAILABLE);
  basic.set_consecutive_passes(3);
  *basic.mutable_last_observed_at() = At(-5);
  basic.mutable_last_latency()->set_nanos(80'000'000);
  basic.set_last_phase(controlplane::v1::OUTCOME_PHASE_PROXY_HANDSHAKE);
  basic.set_last_error(controlplane::v1::OUTCOME_ERROR_NONE);
  *basic.mutable_next_due_at() = At(55);
  auto& egress = *health.add_health();
  egress.set_level(controlplane::v1::CHECK_LEVEL_EGRESS);
  egress.set_state(admin::v1::HEALTH_STATE_SUSPECT);
  egress.set_consecutive_failures(1);
  *egress.mutable_last_observed_at() = At(-725);
  egress.set_egress_ip("203.0.113.9");
  egress.set_anonymity(controlplane::v1::ANONYMITY_ELITE);
  egress.set_last_phase(controlplane::v1::OUTCOME_PHASE_DIAL);
  egress.set_last_error(controlplane::v1::OUTCOME_ERROR_REFUSED);
  egress.set_checker_id("checker-1");
  auto& target = *health.add_health();
  target.set_level(controlplane::v1::CHECK_LEVEL_TARGET);
  target.set_routing_id("shops");
  target.set_state(admin::v1::HEALTH_STATE_UNKNOWN);
  *target.mutable_next_due_at() = At(-90);
  return health;
}

admin::v1::CheckProxyResponse SampleCheck(controlplane::v1::Verdict verdict) {
  const bool passed = verdict == controlplane::v1::VERDICT_PASS;
  admin::v1::CheckProxyResponse response;
  auto& observation = *response.mutable_observation();
  observation.set_task_id("task-1");
  observation.set_verdict(verdict);
  observation.set_phase(controlplane::v1::OUTCOME_PHASE_RESPONSE_HEADERS);
  observation.set_error(passed ? controlplane::v1::OUTCOME_ERROR_NONE : controlplane::v1::OUTCOME_ERROR_TIMEOUT);
  observation.mutable_latency()->set_nanos(80'000'000);
  if (passed) {
    observation.set_egress_ip("203.0.113.9");
    observation.set_anonymity(controlplane::v1::ANONYMITY_ELITE);
    observation.set_http_status(200);
  }
  *observation.mutable_observed_at() = At(0);
  auto& status = *response.mutable_status();
  status.set_state(passed ? admin::v1::HEALTH_STATE_AVAILABLE : admin::v1::HEALTH_STATE_SUSPECT);
  status.set_consecutive_passes(passed ? 3 : 0);
  status.set_consecutive_failures(passed ? 0 : 1);
  *status.mutable_last_observed_at() = At(0);
  *status.mutable_next_due_at() = At(passed ? 600 : 10);
  return response;
}

admin::v1::Alarm SampleAlarm(admin::v1::AlarmKind kind, const std::string& subject) {
  admin::v1::Alarm alarm;
  alarm.set_kind(kind);
  alarm.set_subject(subject);
  alarm.set_detail("what happened");
  *alarm.mutable_raised_at() = At(-120);
  alarm.set_raised_sequence(77);
  alarm.set_runbook("docs/operations/alarms.md#a-kind");
  return alarm;
}

audit::v1::OwnershipPeriod SamplePeriod() {
  audit::v1::OwnershipPeriod period;
  period.set_proxy_id("http://198.18.0.1:8080");
  period.set_holder_kind(audit::v1::HOLDER_KIND_WORKER);
  period.set_holder_id("worker-1");
  period.set_session_id("00112233445566778899aabbccddeeff");
  period.set_ownership_epoch(7);
  *period.mutable_granted_at() = At(-600);
  period.set_granted_sequence(100);
  *period.mutable_revoked_at() = At(-60);
  period.set_revoked_sequence(200);
  period.set_revoke_reason(audit::v1::REVOKE_REASON_REMOVAL);
  period.set_revoked_by("loopback");
  period.set_target_version(43);
  period.set_issue_sequence(201);
  period.set_ack_sequence(202);
  period.set_report_sequence(203);
  *period.mutable_owned_until() = At(-20);
  *period.mutable_ended_at() = At(-55);
  period.set_ended_sequence(203);
  period.set_end_reason(audit::v1::END_REASON_DRAINED);
  return period;
}

distribution::v1::ExtractResponse SampleExtraction(int machines, std::uint64_t requested) {
  distribution::v1::ExtractResponse answer;
  answer.set_extraction_id("e-1");
  for (int i = 1; i <= machines; ++i) {
    auto& proxy = *answer.add_proxies();
    auto& endpoint = *proxy.mutable_endpoint();
    endpoint.set_scheme(controlplane::v1::PROXY_SCHEME_HTTP);
    endpoint.set_host("198.18.0." + std::to_string(i));
    endpoint.set_port(8080);
    proxy.set_proxy_id("http://" + endpoint.host() + ":8080");
    proxy.set_capacity(5);
    *proxy.mutable_usable_until() = At(7200);
    (*proxy.mutable_labels())["country"] = "DE";
  }
  *answer.mutable_extracted_until() = At(3600);
  answer.set_log_sequence(4711);
  answer.set_requested(requested);
  *answer.mutable_server_time() = At(0);
  return answer;
}

audit::v1::OwnershipPeriod SampleClientPeriod() {
  audit::v1::OwnershipPeriod period;
  period.set_proxy_id("http://198.18.0.1:8080");
  period.set_holder_kind(audit::v1::HOLDER_KIND_CLIENT);
  period.set_holder_id("client-1");
  period.set_extraction_id("e-1");
  *period.mutable_granted_at() = At(-600);
  period.set_granted_sequence(300);
  *period.mutable_owned_until() = At(3600);
  *period.mutable_ended_at() = At(-30);
  period.set_ended_sequence(400);
  period.set_end_reason(audit::v1::END_REASON_RELEASED);
  return period;
}

audit::v1::LogLine SampleLine(std::uint64_t sequence) {
  audit::v1::LogLine line;
  line.set_sequence(sequence);
  *line.mutable_at() = At(static_cast<std::int64_t>(sequence));
  line.set_kind("register_worker");
  line.set_principal("loopback");
  line.set_json(R"({"input":{"register_worker":{"request":{"workerId":"worker-1","maxProxies":20},"sessionId":"s"}},)"
                R"("events":[{"session_opened":{"worker":1,"epoch":"9007199254740991"}},{"proxy_granted":{}},)"
                R"({"proxy_granted":{}}]})");
  line.set_entry_hash(std::string(32, '\x11'));
  return line;
}

admin::v1::ListRoutingsResponse SampleRoutings() {
  admin::v1::ListRoutingsResponse routings;
  routings.set_revision(3);
  auto& spec = *routings.add_routings();
  spec.mutable_routing()->set_routing_id("shops");
  spec.mutable_routing()->add_host_patterns("*.example.com");
  spec.mutable_routing()->add_ports(443);
  (*spec.mutable_routing()->mutable_proxy_labels())["country"] = "DE";
  auto& target = *spec.add_targets();
  target.set_url("https://example.com/");
  target.add_expected_status(200);
  target.mutable_timeout()->set_seconds(5);
  spec.set_min_anonymity(controlplane::v1::ANONYMITY_ELITE);
  return routings;
}

}  // namespace holdfast::cli
