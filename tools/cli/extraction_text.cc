#include "tools/cli/extraction_text.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <string_view>
#include <tuple>

#include "tools/cli/enum_word.h"
#include "tools/cli/label_text.h"
#include "tools/cli/printable_text.h"
#include "tools/cli/row_text.h"
#include "tools/cli/table.h"
#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using controlplane::v1::Endpoint;
using distribution::v1::ExtractedProxy;
using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;

// The bytes that an address or a host name is made of.
bool IsOfAHost(char byte) {
  const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
  return letter || (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '_' || byte == ':';
}

std::string HostText(const std::string& host) {
  std::string text;
  for (const char byte : host) text += IsOfAHost(byte) ? std::string(1, byte) : "%" + HexText({&byte, 1});
  return host.find(':') == std::string::npos ? text : "[" + text + "]";
}

std::uint64_t MachinesOf(const ExtractResponse& answer) {
  std::set<std::tuple<std::string, std::uint32_t, std::string>> machines;
  for (const ExtractedProxy& proxy : answer.proxies()) {
    machines.emplace(proxy.endpoint().host(), proxy.endpoint().port(), proxy.secret_ref());
  }
  return machines.size();
}

std::uint64_t RequestedOf(const ExtractRequest& asked, const ExtractResponse& answer) {
  return answer.requested() == 0 ? asked.count() : answer.requested();
}

std::string GotText(const ExtractRequest& asked, const ExtractResponse& answer) {
  const std::uint64_t requested = RequestedOf(asked, answer);
  return CountText(MachinesOf(answer)) + " of " + CountOf(requested, "machine", "machines");
}

std::string UntilText(const ExtractResponse& answer) {
  if (!answer.has_extracted_until()) return "";
  const std::int64_t until = ToMicros(answer.extracted_until());
  return answer.has_server_time() ? TimeWithAge(until, ToMicros(answer.server_time())) : TimeText(until);
}

std::string GiveBackText(const ExtractRequest& asked, const ExtractResponse& answer) {
  return "holdfast release --client " + asked.client_id() + " " + answer.extraction_id();
}

std::vector<std::string> CellsOf(const ExtractedProxy& proxy, const ExtractResponse& answer) {
  std::string until;
  if (proxy.has_usable_until()) {
    until = TimeWithAge(ToMicros(proxy.usable_until()), ToMicros(answer.server_time()));
  }
  return {proxy.proxy_id(),          ProxyUrl(proxy.endpoint()), proxy.secret_ref(), CountText(proxy.capacity()), until,
          LabelsText(proxy.labels())};
}

Json ProxyJson(const ExtractedProxy& proxy) {
  Json json;
  json["proxy_id"] = proxy.proxy_id();
  json["url"] = ProxyUrl(proxy.endpoint());
  json["scheme"] = EnumWord(proxy.endpoint().scheme());
  json["host"] = proxy.endpoint().host();
  json["port"] = proxy.endpoint().port();
  json["secret_ref"] = TextJson(proxy.secret_ref());
  json["capacity"] = proxy.capacity();
  json["usable_until"] = TimeJson(proxy.has_usable_until(), proxy.usable_until());
  json["labels"] = LabelsJson(proxy.labels());
  return json;
}

}  // namespace

std::string ProxyUrl(const Endpoint& endpoint) {
  return EnumWord(endpoint.scheme()) + "://" + HostText(endpoint.host()) + ":" + std::to_string(endpoint.port());
}

void WriteExtraction(std::ostream& out, const ExtractRequest& asked, const ExtractResponse& answer) {
  Table table(out, {"PROXY", "URL", "SECRET", "#CAPACITY", "USABLE UNTIL", "LABELS"});
  for (const ExtractedProxy& proxy : answer.proxies()) table.Add(CellsOf(proxy, answer));
  table.Finish(true);
  out << '\n';
  WriteRow(out, "extracted",
           GotText(asked, answer) + ", " +
               CountOf(static_cast<std::uint64_t>(answer.proxies_size()), "proxy", "proxies") + ", log sequence " +
               std::to_string(answer.log_sequence()));
  WriteRow(out, "extraction", answer.extraction_id());
  WriteRow(out, "until", UntilText(answer));
  WriteRow(out, "give back", GiveBackText(asked, answer));
}

Json ExtractionJson(const ExtractRequest& asked, const ExtractResponse& answer) {
  Json json;
  json["extraction_id"] = answer.extraction_id();
  json["client_id"] = asked.client_id();
  json["request_id"] = asked.request_id();
  json["requested"] = RequestedOf(asked, answer);
  json["machines"] = MachinesOf(answer);
  json["extracted_until"] = TimeJson(answer.has_extracted_until(), answer.extracted_until());
  json["server_time"] = TimeJson(answer.has_server_time(), answer.server_time());
  json["log_sequence"] = answer.log_sequence();
  json["proxies"] = Json::array();
  for (const ExtractedProxy& proxy : answer.proxies()) json["proxies"].push_back(ProxyJson(proxy));
  return json;
}

void WriteUrls(std::ostream& out, std::string_view prefix, const ExtractResponse& answer) {
  for (const ExtractedProxy& proxy : answer.proxies()) out << prefix << ProxyUrl(proxy.endpoint()) << '\n';
}

std::vector<std::string> BesideUrls(const ExtractRequest& asked, const ExtractResponse& answer) {
  std::vector<std::string> lines;
  for (const ExtractedProxy& proxy : answer.proxies()) {
    if (proxy.secret_ref().empty()) continue;
    lines.push_back(ProxyUrl(proxy.endpoint()) + " wants the secret of secret_ref " + proxy.secret_ref());
  }
  lines.push_back("extraction " + answer.extraction_id() + ", until " + UntilText(answer) + "; give it back with `" +
                  GiveBackText(asked, answer) + "`");
  return lines;
}

Result ExtractionVerdict(const ExtractRequest& asked, const ExtractResponse& answer) {
  const std::uint64_t requested = RequestedOf(asked, answer);
  const std::uint64_t machines = MachinesOf(answer);
  if (machines >= requested) return Result::Done();
  return Result::Fail(ExitCode::kFoundWanting,
                      GotText(asked, answer) +
                          ": no more were free and fit. What lacks is asked back from workers: ask for the other " +
                          CountText(requested - machines) + " in a moment, under another request_id.");
}

}  // namespace holdfast::cli
