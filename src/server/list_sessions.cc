#include "server/list_sessions.h"

#include <absl/strings/numbers.h>

#include <algorithm>
#include <string>
#include <vector>

#include "server/session_status.h"

namespace holdfast::server {
namespace {

using admin::v1::ListSessionsRequest;
using admin::v1::ListSessionsResponse;

constexpr std::size_t kWorkPerPage = 20'000;  // rows looked at, about

// Where a page begins: with the member of this key or the next after it, of this kind or the kinds after it.
struct PageStart {
  char kind = 'w';  // 'w': workers, 'c': checkers
  std::uint32_t key = 1;
};

// "w17", "c3". nullopt: no such token.
std::optional<PageStart> ReadToken(const std::string& token) {
  if (token.empty()) return PageStart{};
  PageStart start{token[0], 0};
  const bool known = start.kind == 'w' || start.kind == 'c';
  if (!known || !absl::SimpleAtoi(token.substr(1), &start.key) || start.key == 0) return std::nullopt;
  return start;
}

// What the list needs to know of a kind of members.
struct Workers {
  using Key = WorkerKey;
  static constexpr char kToken = 'w';
  static constexpr controlplane::v1::SessionKind kKind = controlplane::v1::SESSION_KIND_WORKER;
  static const auto& Rows(const ControllerState& state) { return state.sessions().workers(); }
  static WorkerKey Find(const ControllerState& state, const std::string& id) {
    const WorkerRow* row = state.sessions().Find(id);
    return row == nullptr ? WorkerKey() : row->opened.worker;
  }
};
struct Checkers {
  using Key = CheckerKey;
  static constexpr char kToken = 'c';
  static constexpr controlplane::v1::SessionKind kKind = controlplane::v1::SESSION_KIND_CHECKER;
  static const auto& Rows(const ControllerState& state) { return state.checkers().checkers(); }
  static CheckerKey Find(const ControllerState& state, const std::string& id) {
    const CheckerRow* row = state.checkers().Find(id);
    return row == nullptr ? CheckerKey() : row->opened.checker;
  }
};

class Page {
 public:
  Page(const ControllerState& state, const ListSessionsRequest& request, ListSessionsResponse* out)
      : state_(state), request_(request), out_(out) {
    const std::uint32_t asked = request.page_size() == 0 ? kMostSessionsPerPage : request.page_size();
    most_ = static_cast<int>(std::min(asked, kMostSessionsPerPage));
  }

  // Those of one kind, from a key on. False: the page is full, and the token says where the next begins.
  template <class Kind>
  bool Put(std::uint32_t from) {
    if (request_.kind() != controlplane::v1::SESSION_KIND_UNSPECIFIED && request_.kind() != Kind::kKind) return true;
    const std::vector<typename Kind::Key> named = Named<Kind>();
    typename Kind::Key key = Next<Kind>(named, typename Kind::Key(from));
    for (; key.value() != 0; key = Next<Kind>(named, holdfast::Next(key))) {
      if (out_->sessions_size() == most_ || work_ >= kWorkPerPage) {
        out_->set_next_page_token(Kind::kToken + std::to_string(key.value()));
        return false;
      }
      ++work_;
      if (!request_.include_closed() && !Kind::Rows(state_).At(key).open()) continue;
      work_ += PutSessionStatus(state_, key, out_->add_sessions());
    }
    return true;
  }

 private:
  // The named members that were seen, in the order of their keys.
  template <class Kind>
  std::vector<typename Kind::Key> Named() const {
    std::vector<typename Kind::Key> keys;
    for (const std::string& id : request_.member_ids()) {
      if (const auto key = Kind::Find(state_, id); key.value() != 0) keys.push_back(key);
    }
    std::sort(keys.begin(), keys.end());
    keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
    return keys;
  }

  // The first member at or above `from` that the list may show; 0: none.
  template <class Kind>
  typename Kind::Key Next(const std::vector<typename Kind::Key>& named, typename Kind::Key from) const {
    if (request_.member_ids().empty()) return Kind::Rows(state_).NextKey(from);
    const auto next = std::lower_bound(named.begin(), named.end(), from);
    return next == named.end() ? typename Kind::Key() : *next;
  }

  const ControllerState& state_;
  const ListSessionsRequest& request_;
  ListSessionsResponse* const out_;
  int most_ = 0;
  std::size_t work_ = 0;
};

}  // namespace

std::optional<Rejection> ListSessionsPage(const ControllerState& state, const ListSessionsRequest& request,
                                          ListSessionsResponse* out) {
  const std::optional<PageStart> start = ReadToken(request.page_token());
  if (!start) {
    return Rejection{RejectReason::kMalformed, "page_token is none that an answer gave; leave it empty to begin anew",
                     "page_token"};
  }
  out->set_as_of_sequence(state.run().last().sequence.value());
  Page page(state, request, out);
  const bool with_workers = start->kind == Workers::kToken;
  if (with_workers && !page.Put<Workers>(start->key)) return std::nullopt;
  page.Put<Checkers>(with_workers ? 1 : start->key);
  return std::nullopt;
}

}  // namespace holdfast::server
