#include "client/registration.h"

#include "absl/strings/str_cat.h"

namespace holdfast::client {

std::variant<WorkerSession, std::string> SessionFrom(const controlplane::v1::RegisterWorkerResponse& response,
                                                     BootTime sent_at) {
  if (response.session_id().empty()) return std::string("session_id is empty");
  if (response.protocol_version() != kProtocolVersion) {
    return absl::StrCat("protocol_version ", response.protocol_version(), " is not ", kProtocolVersion);
  }
  const std::optional<LogTime> server_time = LogTimeFrom(response.server_time());
  if (!response.has_server_time() || !server_time) return std::string("server_time is absent or no time");

  WorkerSession session;
  session.id = response.session_id();
  session.ownership_epoch = response.ownership_epoch();
  session.max_batch = response.max_batch();
  const std::pair<const google::protobuf::Duration&, Duration&> durations[] = {
      {response.session_ttl(), session.session_ttl},
      {response.report_interval(), session.report_interval},
      {response.lapse_grace(), session.lapse_grace},
      {response.max_stale_age(), session.max_stale_age}};
  for (const auto& [from, to] : durations) to = DurationFrom(from).value_or(Duration::zero());
  if (session.session_ttl <= Duration::zero()) return std::string("session_ttl is not above zero");
  if (session.report_interval <= Duration::zero()) return std::string("report_interval is not above zero");
  if (session.max_stale_age <= Duration::zero()) return std::string("max_stale_age is not above zero");
  if (session.max_batch == 0) return std::string("max_batch is zero");
  session.clock = std::make_shared<ValidityClock>();
  session.clock->AddSample(*server_time, sent_at);
  return session;
}

}  // namespace holdfast::client
