// Tells the judge what clients asked for and were answered, step by step, beside the workers of judge_story.h.
//
// Each call takes `took_us` of the story's time; a story is never copied. Machines are those of hosts: one proxy each,
// of the host's name.

#pragma once

#include <string>
#include <vector>

#include "tests/judge/judge_story.h"

namespace holdfast::judge {

class ClientStory : public Story {
 public:
  std::int64_t took_us = 10'000;

  static distribution::v1::ExtractRequest Request(const std::string& client, const std::string& request_id,
                                                  std::uint32_t count, std::int64_t hold_seconds = 30) {
    distribution::v1::ExtractRequest request;
    request.set_client_id(client);
    request.set_request_id(request_id);
    request.set_count(count);
    if (hold_seconds > 0) request.mutable_hold()->set_seconds(hold_seconds);
    return request;
  }

  distribution::v1::ExtractedProxy Proxy(const std::string& host, const std::string& id = "",
                                         wire::ProxyScheme scheme = wire::PROXY_SCHEME_HTTP) const {
    distribution::v1::ExtractedProxy proxy;
    proxy.set_proxy_id(id.empty() ? host : id);
    proxy.mutable_endpoint()->set_scheme(scheme);
    proxy.mutable_endpoint()->set_host(host);
    proxy.mutable_endpoint()->set_port(8080);
    proxy.set_capacity(10);
    *proxy.mutable_usable_until() = Stamp(kLogOffset + 99'000 * kSecond);
    return proxy;
  }

  // Good for `request` when it is said now.
  distribution::v1::ExtractResponse Answer(const distribution::v1::ExtractRequest& request,
                                           const std::string& extraction_id,
                                           const std::vector<distribution::v1::ExtractedProxy>& proxies) const {
    distribution::v1::ExtractResponse answer;
    answer.set_extraction_id(extraction_id);
    for (const auto& proxy : proxies) *answer.add_proxies() = proxy;
    answer.set_requested(request.count());
    answer.set_log_sequence(7);
    *answer.mutable_server_time() = Stamp(LogNow() + took_us);
    *answer.mutable_extracted_until() = request.has_hold()
                                            ? Stamp(LogNow() + took_us + request.hold().seconds() * kSecond)
                                            : Stamp(kLogOffset + 99'000 * kSecond);
    return answer;
  }

  void Answered(const distribution::v1::ExtractRequest& request, const distribution::v1::ExtractResponse& answer) {
    const std::int64_t sent_us = now;
    now += took_us;
    Hear({}, ExtractAnswered{request, answer, {}, sent_us});
  }
  void RefusedWith(const distribution::v1::ExtractRequest& request, const CallEnd& end) {
    const std::int64_t sent_us = now;
    now += took_us;
    Hear({}, ExtractAnswered{request, {}, end, sent_us});
  }
  // A call without an answer.
  void Lost(const distribution::v1::ExtractRequest& request) {
    RefusedWith(request, {.code = 14, .detail = std::nullopt});
  }

  // Asked for and given, by machines of hosts. The request is the extraction's name.
  distribution::v1::ExtractResponse Extract(const std::string& client, const std::string& extraction_id,
                                            const std::vector<std::string>& hosts, std::int64_t hold_seconds = 30) {
    const auto request = Request(client, extraction_id, static_cast<std::uint32_t>(hosts.size()), hold_seconds);
    std::vector<distribution::v1::ExtractedProxy> proxies;
    for (const std::string& host : hosts) proxies.push_back(Proxy(host));
    const auto answer = Answer(request, extraction_id, proxies);
    Answered(request, answer);
    return answer;
  }

  static distribution::v1::ReleaseRequest ReleaseOf(const std::string& client, const std::string& extraction_id,
                                                    const std::vector<std::string>& proxy_ids = {},
                                                    const std::string& request_id = "g") {
    distribution::v1::ReleaseRequest request;
    request.set_client_id(client);
    request.set_extraction_id(extraction_id);
    request.set_request_id(request_id);
    for (const std::string& id : proxy_ids) request.add_proxy_ids(id);
    return request;
  }
  void Released(const distribution::v1::ReleaseRequest& request, std::uint64_t released, std::uint64_t sequence = 9) {
    distribution::v1::ReleaseResponse answer;
    answer.set_released(released);
    answer.set_log_sequence(sequence);
    ReleaseEnds(request, answer, {});
  }
  void ReleaseEnds(const distribution::v1::ReleaseRequest& request, const distribution::v1::ReleaseResponse& answer,
                   const CallEnd& end) {
    const std::int64_t sent_us = now;
    Hear({}, ReleaseSent{request});
    now += took_us;
    Hear({}, ReleaseAnswered{request, answer, end, sent_us});
  }

  static CallEnd NotEnough(const std::string& available, const std::string& requested) {
    CallEnd end = Refused(8, wire::REJECT_REASON_NOT_ENOUGH_PROXIES);
    (*end.detail->mutable_metadata())["available"] = available;
    (*end.detail->mutable_metadata())["requested"] = requested;
    end.detail->mutable_retry_after()->set_seconds(1);
    return end;
  }
  static CallEnd NotFound() { return Refused(5, wire::REJECT_REASON_NOT_FOUND); }
};

}  // namespace holdfast::judge
