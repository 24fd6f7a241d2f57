#include "tools/judge/client_judge.h"

#include <algorithm>
#include <charconv>

#include "tools/judge/extract_answer.h"

namespace holdfast::judge {

using distribution::v1::ExtractResponse;
using distribution::v1::ReleaseResponse;

namespace {

// A request that was not answered for so long is not repeated any more.
constexpr std::int64_t kRequestsKeptUs = 600'000'000;

template <class Request>
std::string CallText(CallKind call, const Request& request) {
  return CallKindName(call) + " of client " + request.client_id() + " (request " + request.request_id().substr(0, 8) +
         ")";
}

std::string CallOf(const ExtractAnswered& answered) { return CallText(CallKind::kExtract, answered.request); }
std::string CallOf(const ReleaseAnswered& answered) { return CallText(CallKind::kRelease, answered.request); }

std::optional<std::uint64_t> NumberIn(const wire::ErrorDetail& detail, const std::string& name) {
  const auto found = detail.metadata().find(name);
  if (found == detail.metadata().end()) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = found->second.data() + found->second.size();
  const auto [read, error] = std::from_chars(found->second.data(), end, number);
  return error == std::errc() && read == end ? std::optional(number) : std::nullopt;
}

// What is wrong with being told that there are not enough, or nothing.
std::optional<std::string> WrongShortage(const ExtractAnswered& answered) {
  const std::optional<std::uint64_t> available = NumberIn(*answered.end.detail, "available");
  const std::optional<std::uint64_t> requested = NumberIn(*answered.end.detail, "requested");
  if (!available || !requested) return "NOT_ENOUGH_PROXIES without available and requested in its metadata";
  const std::uint64_t count = answered.request.count();
  if (*requested == count && *available < (answered.request.all_or_nothing() ? count : 1)) return std::nullopt;
  return "NOT_ENOUGH_PROXIES with " + std::to_string(*available) + " of " + std::to_string(*requested) +
         " available, asked for were " + std::to_string(count) +
         (answered.request.all_or_nothing() ? ", all or nothing" : "");
}

wire::RejectReason ReasonOf(const CallEnd& end) {
  return end.detail ? end.detail->reason() : wire::REJECT_REASON_UNSPECIFIED;
}

// What no client can have brought about by what it asks for here, or nothing.
std::optional<std::string> WrongReason(const ExtractAnswered& answered, bool repeated) {
  switch (ReasonOf(answered.end)) {
    case wire::REJECT_REASON_NOT_ENOUGH_PROXIES:
      return WrongShortage(answered);
    case wire::REJECT_REASON_REQUEST_CONFLICT:
      return "REQUEST_CONFLICT, and it never stood for another request";
    case wire::REJECT_REASON_FAILED_CONDITION:
      if (answered.request.routing_id().empty()) return "FAILED_CONDITION without a routing";
      return std::nullopt;
    case wire::REJECT_REASON_NOT_FOUND:
      if (!repeated) return "NOT_FOUND for a request that was never seen before";
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

// Decided, and not on what stands under the request_id.
bool SaysThatNoneStands(wire::RejectReason reason) {
  return reason == wire::REJECT_REASON_NOT_FOUND || reason == wire::REJECT_REASON_NOT_ENOUGH_PROXIES ||
         reason == wire::REJECT_REASON_POOL_UNAVAILABLE;
}

}  // namespace

void ClientJudge::Wrong(const std::string& call, std::int64_t at_us, const std::string& what) {
  records_.Report(ViolationKind::kAnswer, at_us, call + ": " + what);
}

// The record of its request, a new one where this is the first that is heard of it.
ClientJudge::Asked& ClientJudge::AskedFor(const ExtractAnswered& answered, std::int64_t at_us) {
  Client& client = clients_[answered.request.client_id()];
  const auto [entry, fresh] = client.asked.try_emplace(answered.request.request_id());
  if (fresh) {
    entry->second.first_sent_us = answered.sent_us;
    entry->second.known_us = times_.KnownAt(answered.sent_us);
    ForgetPast(client, at_us);
  } else {
    entry->second.repeated = true;
  }
  return entry->second;
}

void ClientJudge::OnExtractAnswered(const ExtractAnswered& answered, std::int64_t at_us) {
  Asked& asked = AskedFor(answered, at_us);
  Client& client = clients_[answered.request.client_id()];
  if (!answered.end.ok()) return Refuse(client, asked, answered, at_us);
  const ExtractResponse& answer = answered.response;
  times_.Hear(CallOf(answered), answer.has_server_time(), answer.server_time(), answered.sent_us, at_us);
  const auto known = client.extractions.find(asked.extraction_id);
  if (known != client.extractions.end()) {
    JudgeRepeat(known->second, answered, at_us);
  } else {
    Give(client, asked, answered, at_us);
  }
}

void ClientJudge::Give(Client& client, Asked& asked, const ExtractAnswered& answered, std::int64_t at_us) {
  const ExtractResponse& answer = answered.response;
  for (const std::string& wrong : WrongsOf(answered.request, answer, {asked.known_us, !asked.repeated})) {
    Wrong(CallOf(answered), at_us, wrong);
  }
  if (windows_.Knows(answer.extraction_id())) {
    return Wrong(CallOf(answered), at_us, "extraction " + answer.extraction_id() + " stood for another request");
  }
  ++extractions_;
  ConservativeClock clock;
  clock.Hear(MicrosOf(answer.server_time()), answered.sent_us);
  Extraction extraction;
  extraction.request_id = answered.request.request_id();
  extraction.answer = answer;
  extraction.until_us = clock.Reaches(MicrosOf(answer.extracted_until()));
  for (const auto& proxy : answer.proxies()) extraction.left.insert(proxy.proxy_id());
  windows_.Take(answered.request.client_id(), answer, extraction.until_us, at_us);
  for (const std::string& address : windows_.AddressesOf(answer.extraction_id())) {
    workers_.OnGivenToClient(address, at_us);
  }
  asked.extraction_id = answer.extraction_id();
  client.extractions.emplace(answer.extraction_id(), std::move(extraction));
}

void ClientJudge::JudgeRepeat(Extraction& extraction, const ExtractAnswered& answered, std::int64_t at_us) {
  const ExtractResponse& answer = answered.response;
  if (!SameExtraction(extraction.answer, answer)) {
    Wrong(CallOf(answered), at_us,
          "is answered otherwise than before: extraction " + answer.extraction_id() + " of " +
              std::to_string(answer.proxies_size()) + " proxies; it was " + extraction.answer.extraction_id() + " of " +
              std::to_string(extraction.answer.proxies_size()));
  }
  const std::int64_t until = MicrosOf(answer.extracted_until());
  const std::int64_t before = MicrosOf(extraction.answer.extracted_until());
  if (until < before) {
    Wrong(CallOf(answered), at_us,
          "extracted_until " + std::to_string(until) + " µs, it was " + std::to_string(before) + " µs");
  }
}

void ClientJudge::Refuse(Client& client, const Asked& asked, const ExtractAnswered& answered, std::int64_t at_us) {
  if (const auto wrong = WrongRejection(CallKind::kExtract, answered.end)) {
    records_.Report(ViolationKind::kRejection, at_us, CallOf(answered) + ": " + *wrong);
  }
  if (const auto wrong = WrongReason(answered, asked.repeated)) Wrong(CallOf(answered), at_us, *wrong);
  const wire::RejectReason reason = ReasonOf(answered.end);
  const auto known = client.extractions.find(asked.extraction_id);
  const bool stands =
      known != client.extractions.end() && !known->second.left.empty() && at_us < known->second.until_us;
  if (stands && SaysThatNoneStands(reason)) {
    Wrong(CallOf(answered), at_us,
          wire::RejectReason_Name(reason) + ", but its extraction " + asked.extraction_id + " stands for " +
              std::to_string(known->second.until_us - at_us) + " µs more");
  }
}

ClientJudge::Extraction* ClientJudge::Find(const std::string& client_id, const std::string& extraction_id) {
  std::map<std::string, Extraction>& extractions = clients_[client_id].extractions;
  const auto found = extractions.find(extraction_id);
  return found == extractions.end() ? nullptr : &found->second;
}

void ClientJudge::OnReleaseSent(const ReleaseSent& sent) {
  Extraction* extraction = Find(sent.request.client_id(), sent.request.extraction_id());
  if (!extraction || extraction->releases.contains(sent.request.request_id())) return;
  std::set<std::string> given(sent.request.proxy_ids().begin(), sent.request.proxy_ids().end());
  if (given.empty()) given = extraction->left;
  extraction->releases[sent.request.request_id()].proxies = given.size();
  for (const std::string& proxy_id : given) extraction->left.erase(proxy_id);
  windows_.GiveBack(sent.request.extraction_id(), given);
}

void ClientJudge::OnReleaseAnswered(const ReleaseAnswered& answered, std::int64_t at_us) {
  if (!answered.end.ok()) {
    if (const auto wrong = WrongRejection(CallKind::kRelease, answered.end)) {
      records_.Report(ViolationKind::kRejection, at_us, CallOf(answered) + ": " + *wrong);
    }
  }
  Extraction* extraction = Find(answered.request.client_id(), answered.request.extraction_id());
  if (!extraction) return;
  const wire::RejectReason reason = ReasonOf(answered.end);
  if (reason == wire::REJECT_REASON_REQUEST_CONFLICT) {
    return Wrong(CallOf(answered), at_us, "REQUEST_CONFLICT, and it never stood for another release");
  }
  if (reason == wire::REJECT_REASON_NOT_FOUND && at_us < extraction->until_us) {
    return Wrong(CallOf(answered), at_us,
                 "NOT_FOUND, but extraction " + answered.request.extraction_id() + " stands for " +
                     std::to_string(extraction->until_us - at_us) + " µs more");
  }
  if (!answered.end.ok()) return;
  JudgeReleased(extraction->releases[answered.request.request_id()], answered, at_us);
}

void ClientJudge::JudgeReleased(Release& release, const ReleaseAnswered& answered, std::int64_t at_us) {
  const ReleaseResponse& answer = answered.response;
  if (answer.released() != release.proxies) {
    Wrong(CallOf(answered), at_us,
          "released " + std::to_string(answer.released()) + " proxies, given back were " +
              std::to_string(release.proxies));
  }
  if (release.answer && release.answer->log_sequence() != answer.log_sequence()) {
    Wrong(CallOf(answered), at_us,
          "was decided at " + std::to_string(answer.log_sequence()) + ", before it was " +
              std::to_string(release.answer->log_sequence()));
  }
  release.answer = answer;
}

bool ClientJudge::IsGivenBack(const Extraction& extraction) {
  return extraction.left.empty() && std::all_of(extraction.releases.begin(), extraction.releases.end(),
                                                [](const auto& release) { return release.second.answer.has_value(); });
}

void ClientJudge::ForgetPast(Client& client, std::int64_t at_us) {
  std::erase_if(client.extractions, [&](const auto& entry) {
    const Extraction& extraction = entry.second;
    const bool given_back = IsGivenBack(extraction);
    if (!given_back && at_us < extraction.until_us) return false;
    windows_.Forget(entry.first);
    // A request whose extraction is past may still be repeated.
    if (given_back) client.asked.erase(extraction.request_id);
    return true;
  });
  std::erase_if(client.asked, [&](const auto& entry) {
    return !client.extractions.contains(entry.second.extraction_id) &&
           entry.second.first_sent_us < at_us - kRequestsKeptUs;
  });
}

}  // namespace holdfast::judge
