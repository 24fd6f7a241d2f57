// The list of routings: its parts are refused as a whole, with the place of what is wrong.

#include <absl/container/btree_set.h>

#include <algorithm>

#include "base/endpoint.h"
#include "controller/host_pattern.h"
#include "controller/proto_time.h"
#include "controller/validate.h"
#include "controller/validate_field.h"

namespace holdfast {
namespace {

using namespace validation;
using controlplane::v1::CheckTarget;
using controlplane::v1::Routing;

constexpr std::size_t kMostUrlBytes = 2048;
constexpr std::size_t kMostMethodBytes = 32;

// RFC 9110: a token.
bool IsToken(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    const bool alphanumeric = IsIdCharacter(c) && c != '.' && c != '_' && c != '-';
    return alphanumeric || kMarks.find(c) != std::string_view::npos;
  });
}

bool IsPort(std::string_view text) {
  if (text.empty() || text.size() > 5 ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
    return false;
  }
  const int port = std::stoi(std::string(text));
  return port >= 1 && port <= 65'535;
}

// http or https, a host, perhaps a port; no user information, no space.
bool IsTargetUrl(std::string_view url) {
  const std::size_t scheme_bytes = url.starts_with("http://") ? 7 : url.starts_with("https://") ? 8 : 0;
  if (scheme_bytes == 0 || url.size() > kMostUrlBytes || HasControlCharacter(url) ||
      url.find(' ') != std::string_view::npos) {
    return false;
  }
  std::string_view authority = url.substr(scheme_bytes);
  authority = authority.substr(0, authority.find_first_of("/?#"));
  if (authority.find('@') != std::string_view::npos) return false;
  std::string_view host = authority;
  const bool bracketed = host.starts_with('[');
  const std::size_t end = bracketed ? host.find(']') : host.find(':');
  if (bracketed && end == std::string_view::npos) return false;
  std::string_view rest = end == std::string_view::npos ? std::string_view() : host.substr(bracketed ? end + 1 : end);
  host = bracketed ? host.substr(1, end - 1) : host.substr(0, end);
  if (!rest.empty() && (!rest.starts_with(':') || !IsPort(rest.substr(1)))) return false;
  return NormaliseHost(host, /*allow_special=*/true).ok();
}

Problem CheckTargetOf(const CheckTarget& target, const std::string& place) {
  if (!IsTargetUrl(target.url())) {
    return Malformed(place + ".url", "is no http or https URL with a host and without user information");
  }
  for (int i = 0; i < target.expected_status_size(); ++i) {
    if (target.expected_status(i) >= 100 && target.expected_status(i) <= 599) continue;
    return Malformed(Place(place + ".expected_status", static_cast<std::size_t>(i)), "is not in 100..599");
  }
  if (!target.method().empty() && (!IsToken(target.method()) || target.method().size() > kMostMethodBytes)) {
    return Malformed(place + ".method", "is no HTTP method");
  }
  if (target.has_timeout() && !ReadDuration(target.timeout())) {
    return Malformed(place + ".timeout", "is no duration in whole microseconds from 0");
  }
  return std::nullopt;
}

Problem CheckRouting(const Routing& routing, const std::string& place, const Settings& settings) {
  if (Problem problem = MemberId(place + ".routing_id", routing.routing_id())) return problem;
  if (routing.host_patterns().empty()) {
    return Malformed(place + ".host_patterns", "is empty; write \"*\" for every host");
  }
  for (int i = 0; i < routing.host_patterns_size(); ++i) {
    if (NormaliseHostPattern(routing.host_patterns(i))) continue;
    return Malformed(Place(place + ".host_patterns", static_cast<std::size_t>(i)),
                     "is none of \"example.com\", \"*.example.com\", \"*\", an IP address");
  }
  for (int i = 0; i < routing.ports_size(); ++i) {
    if (routing.ports(i) >= 1 && routing.ports(i) <= 65'535) continue;
    return Malformed(Place(place + ".ports", static_cast<std::size_t>(i)), "is not in 1..65535");
  }
  if (Problem problem = Labels(place + ".proxy_labels", routing.proxy_labels(), settings)) return problem;
  for (int i = 0; i < routing.zones_size(); ++i) {
    if (Problem problem = Name(Place(place + ".zones", static_cast<std::size_t>(i)), routing.zones(i), settings)) {
      return problem;
    }
  }
  return std::nullopt;
}

Problem CheckSpec(const admin::v1::RoutingSpec& spec, std::size_t index, const Settings& settings) {
  if (Problem problem = CheckRouting(spec.routing(), Place("routings", index, "routing"), settings)) return problem;
  for (int i = 0; i < spec.targets_size(); ++i) {
    const std::string place = Place(Place("routings", index, "targets"), static_cast<std::size_t>(i));
    if (Problem problem = CheckTargetOf(spec.targets(i), place)) return problem;
  }
  if (controlplane::v1::Anonymity_IsValid(spec.min_anonymity())) return std::nullopt;
  return Malformed(Place("routings", index, "min_anonymity"), "is not known here");
}

}  // namespace

std::optional<Rejection> Validate(const admin::v1::ApplyRoutingsRequest& request, const Settings& settings) {
  if (Problem problem = Number("expected_revision", request.expected_revision())) return problem;
  absl::btree_set<std::string_view> ids;
  std::size_t bytes = 0;
  for (int i = 0; i < request.routings_size(); ++i) {
    const auto index = static_cast<std::size_t>(i);
    if (Problem problem = CheckSpec(request.routings(i), index, settings)) return problem;
    bytes += request.routings(i).routing().ByteSizeLong();
    if (ids.insert(request.routings(i).routing().routing_id()).second) continue;
    return Malformed(Place("routings", index, "routing.routing_id"),
                     "stands for an earlier routing of the list as well");
  }
  if (Problem problem = AtMost("routings", ids.size(), settings.max_batch)) return problem;
  // Every full snapshot carries the list, and grants need their room.
  const std::size_t most_bytes = settings.max_message / 4;
  if (bytes <= most_bytes) return std::nullopt;
  return Rejection{
      RejectReason::kLimitExceeded,
      "routings have " + std::to_string(bytes) + " bytes, at most a quarter of max_message is allowed; send fewer",
      "routings",
      {{"limit", std::to_string(most_bytes)}}};
}

}  // namespace holdfast
