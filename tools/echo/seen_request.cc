#include "tools/echo/seen_request.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace holdfast::echo {
namespace {

constexpr std::string_view kNonceParameter = "nonce=";

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

// Taken as it stands: a checker's nonce is hexadecimal and needs no escapes.
std::optional<std::string_view> NonceOf(std::string_view target) {
  const std::size_t mark = target.find('?');
  if (mark == std::string_view::npos) return std::nullopt;
  std::string_view query = target.substr(mark + 1);
  query = query.substr(0, query.find('#'));
  while (true) {
    const std::size_t end = query.find('&');
    const std::string_view part = query.substr(0, end);
    if (part.substr(0, kNonceParameter.size()) == kNonceParameter) return part.substr(kNonceParameter.size());
    if (end == std::string_view::npos) return std::nullopt;
    query.remove_prefix(end + 1);
  }
}

nlohmann::ordered_json HeadersOf(const Request& request) {
  nlohmann::ordered_json headers = nlohmann::ordered_json::object();
  for (const auto& field : request) headers[std::string(View(field.name_string()))].push_back(View(field.value()));
  return headers;
}

}  // namespace

std::string DescribeRequest(const Request& request, const IpAddress& address, std::uint16_t port) {
  const std::string_view target = View(request.target());
  nlohmann::ordered_json seen;
  seen["address"] = address.ToString();
  seen["port"] = port;
  seen["method"] = View(request.method_string());
  seen["target"] = target;
  seen["version"] = request.version() == 10 ? "1.0" : "1.1";
  seen["headers"] = HeadersOf(request);
  const std::optional<std::string_view> nonce = NonceOf(target);
  seen["nonce"] = nonce ? nlohmann::ordered_json(*nonce) : nlohmann::ordered_json();
  return seen.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace holdfast::echo
