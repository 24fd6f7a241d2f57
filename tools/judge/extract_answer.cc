#include "tools/judge/extract_answer.h"

#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <limits>
#include <set>

#include "tools/judge/content.h"
#include "tools/judge/records.h"
#include "tools/judge/wire_time.h"

namespace holdfast::judge {

using distribution::v1::ExtractedProxy;
using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;

namespace {

std::string TimeText(std::int64_t micros) { return std::to_string(micros) + " µs"; }

bool Carries(const ExtractedProxy& proxy, const ExtractRequest& request) {
  return std::all_of(request.labels().begin(), request.labels().end(), [&](const auto& label) {
    const auto found = proxy.labels().find(label.first);
    return found != proxy.labels().end() && found->second == label.second;
  });
}

std::optional<std::string> WhyNotFit(const ExtractedProxy& proxy, const ExtractRequest& request,
                                     const GivenWhen& given) {
  if (!Carries(proxy, request)) return "has not all the labels that were asked for";
  const auto& schemes = request.schemes();
  if (!schemes.empty() && std::find(schemes.begin(), schemes.end(), proxy.endpoint().scheme()) == schemes.end()) {
    return wire::ProxyScheme_Name(proxy.endpoint().scheme()) + " was not asked for";
  }
  if (!proxy.secret_ref().empty() && !request.resolves_secrets()) {
    return "has a secret_ref, and the client resolves none";
  }
  const std::int64_t least = LengthOf(request.min_remaining());
  const std::int64_t usable_until = MicrosOf(proxy.usable_until());
  if (given.known_us && (usable_until <= *given.known_us || usable_until < *given.known_us + least)) {
    return "is usable until " + TimeText(usable_until) + ", at least " + TimeText(least) + " were asked for after " +
           TimeText(*given.known_us);
  }
  return std::nullopt;
}

void JudgeEnd(const ExtractRequest& request, const ExtractResponse& answer, const GivenWhen& given,
              std::vector<std::string>& wrongs) {
  const std::int64_t until = MicrosOf(answer.extracted_until());
  const std::int64_t said = MicrosOf(answer.server_time());
  const std::string which = "extracted_until " + TimeText(until);
  if (!answer.has_extracted_until() || answer.extracted_until().nanos() % 1'000 != 0) {
    wrongs.push_back("extracted_until is absent or not whole microseconds");
    return;
  }
  const std::optional<std::int64_t> given_after = given.in_this_call ? std::optional(said) : given.known_us;
  if (given_after && until < *given_after) {
    wrongs.push_back(which + " is past: it was given after " + TimeText(*given_after));
  }
  std::int64_t latest = request.has_hold() ? said + LengthOf(request.hold()) : std::numeric_limits<std::int64_t>::max();
  if (!request.has_hold()) {
    for (const ExtractedProxy& proxy : answer.proxies()) latest = std::min(latest, MicrosOf(proxy.usable_until()));
  }
  if (until > std::max(latest, said))
    wrongs.push_back(which + " is after the latest that it can be, " + TimeText(latest));
}

}  // namespace

std::vector<std::string> WrongsOf(const ExtractRequest& request, const ExtractResponse& answer,
                                  const GivenWhen& given) {
  std::vector<std::string> wrongs;
  std::set<std::string> machines;
  std::set<std::string> ids;
  for (const ExtractedProxy& proxy : answer.proxies()) {
    machines.insert(AddressOf(proxy.endpoint(), proxy.secret_ref()));
    if (!ids.insert(proxy.proxy_id()).second) wrongs.push_back("proxy " + proxy.proxy_id() + " is in it twice");
    if (const auto why = WhyNotFit(proxy, request, given)) wrongs.push_back("proxy " + proxy.proxy_id() + " " + *why);
  }
  const std::string counts =
      std::to_string(machines.size()) + " machines for " + std::to_string(request.count()) + " that were asked for";
  if (machines.empty()) wrongs.push_back("no machine is in it");
  if (machines.size() > request.count()) wrongs.push_back(counts);
  if (machines.size() < request.count() && request.all_or_nothing()) wrongs.push_back(counts + ", all or nothing");
  if (answer.requested() != request.count()) {
    wrongs.push_back("requested is " + std::to_string(answer.requested()) + ", not " + std::to_string(request.count()));
  }
  if (answer.extraction_id().empty()) wrongs.push_back("extraction_id is empty");
  JudgeEnd(request, answer, given, wrongs);
  return wrongs;
}

bool SameExtraction(const ExtractResponse& one, const ExtractResponse& other) {
  const auto said = [](ExtractResponse answer) {
    answer.clear_server_time();
    answer.clear_extracted_until();
    return answer;
  };
  return google::protobuf::util::MessageDifferencer::Equals(said(one), said(other));
}

}  // namespace holdfast::judge
