#include "client/registration.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace holdfast::client {
namespace {

// What both answers carry. A string: what is wrong with it.
template <class Response>
std::variant<SessionTerms, std::string> TermsFrom(const Response& response) {
  if (response.session_id().empty()) return std::string("session_id is empty");
  if (response.protocol_version() != kProtocolVersion) {
    return absl::StrCat("protocol_version ", response.protocol_version(), " is not ", kProtocolVersion);
  }
  if (!response.has_server_time() || !LogTimeFrom(response.server_time())) {
    return std::string("server_time is absent or no time");
  }
  SessionTerms terms;
  terms.id = response.session_id();
  terms.session_ttl = DurationFrom(response.session_ttl()).value_or(Duration::zero());
  terms.report_interval = DurationFrom(response.report_interval()).value_or(Duration::zero());
  terms.max_batch = response.max_batch();
  if (terms.session_ttl <= Duration::zero()) return std::string("session_ttl is not above zero");
  if (terms.report_interval <= Duration::zero()) return std::string("report_interval is not above zero");
  if (terms.max_batch == 0) return std::string("max_batch is zero");
  return terms;
}

}  // namespace

std::variant<WorkerSession, std::string> SessionFrom(const controlplane::v1::RegisterWorkerResponse& response,
                                                     BootTime sent_at) {
  auto terms = TermsFrom(response);
  if (auto* problem = std::get_if<std::string>(&terms)) return std::move(*problem);

  WorkerSession session;
  static_cast<SessionTerms&>(session) = std::get<SessionTerms>(std::move(terms));
  session.ownership_epoch = response.ownership_epoch();
  session.lapse_grace = DurationFrom(response.lapse_grace()).value_or(Duration::zero());
  session.max_stale_age = DurationFrom(response.max_stale_age()).value_or(Duration::zero());
  if (session.max_stale_age <= Duration::zero()) return std::string("max_stale_age is not above zero");
  session.clock = std::make_shared<ValidityClock>();
  session.clock->AddSample(*LogTimeFrom(response.server_time()), sent_at);
  return session;
}

std::variant<SessionTerms, std::string> SessionFrom(const controlplane::v1::RegisterCheckerResponse& response) {
  return TermsFrom(response);
}

}  // namespace holdfast::client
