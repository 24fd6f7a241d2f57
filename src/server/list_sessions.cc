#include "server/list_sessions.h"

#include <absl/strings/numbers.h>

#include <algorithm>

#include "server/session_status.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kWorkPerPage = 20'000;  // rows looked at, about

// "w17": the next page begins with the worker of key 17. nullopt: no such token.
std::optional<WorkerKey> ReadToken(const std::string& token) {
  if (token.empty()) return WorkerKey(1);
  std::uint32_t key = 0;
  if (token[0] != 'w' || !absl::SimpleAtoi(token.substr(1), &key) || key == 0) return std::nullopt;
  return WorkerKey(key);
}

// The named members that were seen, in the order of their keys.
std::vector<WorkerKey> Named(const ControllerState& state, const admin::v1::ListSessionsRequest& request) {
  std::vector<WorkerKey> keys;
  for (const std::string& member : request.member_ids()) {
    if (const WorkerRow* worker = state.sessions().Find(member)) keys.push_back(worker->opened.worker);
  }
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
  return keys;
}

// The first worker at or above `from` that the list may show; 0: none.
WorkerKey NextWorker(const ControllerState& state, const std::vector<WorkerKey>* named, WorkerKey from) {
  if (named == nullptr) return state.sessions().workers().NextKey(from);
  const auto next = std::lower_bound(named->begin(), named->end(), from);
  return next == named->end() ? WorkerKey() : *next;
}

}  // namespace

std::optional<Rejection> ListSessionsPage(const ControllerState& state, const admin::v1::ListSessionsRequest& request,
                                          admin::v1::ListSessionsResponse* out) {
  const std::optional<WorkerKey> first = ReadToken(request.page_token());
  if (!first) {
    return Rejection{RejectReason::kMalformed, "page_token is none that an answer gave; leave it empty to begin anew",
                     "page_token"};
  }
  out->set_as_of_sequence(state.run().last().sequence.value());
  const bool workers = request.kind() == controlplane::v1::SESSION_KIND_UNSPECIFIED ||
                       request.kind() == controlplane::v1::SESSION_KIND_WORKER;
  if (!workers) return std::nullopt;  // no other members yet
  const std::uint32_t asked = request.page_size() == 0 ? kMostSessionsPerPage : request.page_size();
  const auto most = static_cast<int>(std::min(asked, kMostSessionsPerPage));
  const std::vector<WorkerKey> named = Named(state, request);
  const std::vector<WorkerKey>* among = request.member_ids().empty() ? nullptr : &named;
  std::size_t work = 0;
  for (WorkerKey key = NextWorker(state, among, *first); key.value() != 0; key = NextWorker(state, among, Next(key))) {
    if (out->sessions_size() == most || work >= kWorkPerPage) {
      out->set_next_page_token("w" + std::to_string(key.value()));
      break;
    }
    ++work;
    if (!request.include_closed() && !state.sessions().At(key).open()) continue;
    work += PutSessionStatus(state, key, out->add_sessions());
  }
  return std::nullopt;
}

}  // namespace holdfast::server
