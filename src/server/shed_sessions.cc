#include "server/shed_sessions.h"

namespace holdfast::server {

void ShedSessions::Note(MemberKind kind, const std::string& member_id, const std::string& session_id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (sessions_.size() < kMost) sessions_.emplace(kind, member_id, session_id);
}

std::optional<log::v1::Input> ShedSessions::Take() {
  std::set<Session> sessions;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    sessions.swap(sessions_);
  }
  if (sessions.empty()) return std::nullopt;
  log::v1::Input input;
  for (const auto& [kind, member_id, session_id] : sessions) {
    log::v1::CallsShed::Session* session = input.mutable_calls_shed()->add_sessions();
    kind == MemberKind::kChecker ? session->set_checker_id(member_id) : session->set_worker_id(member_id);
    session->set_session_id(session_id);
  }
  return input;
}

}  // namespace holdfast::server
