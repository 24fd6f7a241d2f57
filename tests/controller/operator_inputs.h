// What operators ask for about members, as inputs of a story.
//
// Thread: plain functions.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {

inline log::v1::Input Drain(const std::string& worker,
                            const std::function<void(admin::v1::DrainSessionRequest&)>& edit = {}) {
  log::v1::Input input;
  admin::v1::DrainSessionRequest& request = *input.mutable_drain_session();
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(worker);
  if (edit) edit(request);
  return input;
}

inline log::v1::Input DrainWithin(const std::string& worker, Duration grace) {
  return Drain(worker, [&](auto& request) { request.mutable_grace()->set_seconds(grace / seconds(1)); });
}

inline log::v1::Input Fence(const std::string& worker, const std::string& expected_session_id = "") {
  log::v1::Input input;
  admin::v1::FenceSessionRequest& request = *input.mutable_fence_session();
  request.set_kind(controlplane::v1::SESSION_KIND_WORKER);
  request.set_member_id(worker);
  request.set_reason("it answers nobody");
  request.set_expected_session_id(expected_session_id);
  return input;
}

inline log::v1::Input Reclaim(const std::vector<std::string>& proxy_ids) {
  log::v1::Input input;
  for (const std::string& id : proxy_ids) input.mutable_reclaim_proxies()->add_proxy_ids(id);
  input.mutable_reclaim_proxies()->set_reason("wanted elsewhere");
  return input;
}

inline log::v1::Input Eligible(const std::string& worker, bool eligible) {
  log::v1::Input input;
  input.mutable_set_eligibility()->set_kind(controlplane::v1::SESSION_KIND_WORKER);
  input.mutable_set_eligibility()->set_member_id(worker);
  input.mutable_set_eligibility()->set_eligible(eligible);
  return input;
}

inline log::v1::Input Clear(admin::v1::AlarmKind kind, const std::string& subject) {
  log::v1::Input input;
  input.mutable_clear_alarm()->set_kind(kind);
  input.mutable_clear_alarm()->set_subject(subject);
  input.mutable_clear_alarm()->set_reason("seen");
  return input;
}

inline log::v1::Input AcceptClock(Duration move) {
  log::v1::Input input;
  input.mutable_accept_clock()->mutable_request()->set_reason("the wall is right");
  input.mutable_accept_clock()->set_move_micros(move.count());
  return input;
}

}  // namespace holdfast::testing
