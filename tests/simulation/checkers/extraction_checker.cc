#include "tests/simulation/checkers/extraction_checker.h"

#include <algorithm>

namespace holdfast::simulation {
namespace {

using log::v1::Event;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::int64_t kAnswerWithin = 2 * kSecond;
constexpr std::int64_t kMostDoubt = 60 * kSecond;
constexpr std::int64_t kDay = 24 * 3'600 * kSecond;

bool IsTick(const Entry& entry) { return entry.input.has_tick(); }

}  // namespace

void ExtractionChecker::Wrong(const Entry& entry, const std::string& extraction_id, const std::string& what) {
  violations_.Add("extractions", "sequence " + std::to_string(entry.sequence) + ", extraction " + extraction_id + ": " +
                                     what + " (log time " + std::to_string(entry.at_us) + " µs)");
}

// Every intent ends, and every extraction.
void ExtractionChecker::OnEntry(const Entry& entry) {
  if (entry.input.input_case() < log::v1::Input::kRegisterWorker) return;
  for (const auto& [key, extraction] : extractions_.all()) {
    const std::int64_t bound = extraction.open() ? extraction.deadline : extraction.ends_at;
    if (extraction.stage == ExtractionStage::kOver || bound + kSlack >= entry.at_us) continue;
    Wrong(entry, extraction.id, extraction.open() ? "an intent that does not end" : "it is long over, and stands");
  }
}

void ExtractionChecker::Before(const Entry& entry, const Event& event) {
  if (event.has_extraction_prepared()) BeforePrepared(entry, event.extraction_prepared());
  if (event.has_extraction_doubted()) BeforeDoubted(entry, event.extraction_doubted());
  if (event.has_proxies_extracted()) BeforeExtracted(entry, event.proxies_extracted());
  if (event.has_extraction_given_back()) BeforeGivenBack(entry, event.extraction_given_back());
  if (event.has_extraction_ended()) BeforeEnded(entry, event.extraction_ended());
  if (event.has_request_forgotten()) BeforeForgotten(entry, event.request_forgotten());
}

// ---- the intent ----------------------------------------------------------------------------------------------------

void ExtractionChecker::BeforePrepared(const Entry& entry, const log::v1::ExtractionPrepared& prepared) {
  const std::string& id = prepared.extraction_id();
  if (extractions_.Find(id) != nullptr) Wrong(entry, id, "its id is used again");
  JudgeCandidates(entry, prepared);
  if (prepared.adopted()) {
    if (!entry.input.has_adopt_pool()) Wrong(entry, id, "adopted by nobody");
    return;
  }
  const log::v1::Extract& input = entry.input.extract();
  const auto count = static_cast<std::uint64_t>(prepared.addresses_size());
  const bool its_own = entry.input.has_extract() && input.extraction_id() == id &&
                       input.request().client_id() == prepared.client_id() &&
                       input.request().request_id() == prepared.request_id();
  if (!its_own) return Wrong(entry, id, "an intent that is not what the client asked for");
  if (!extractions_.usable()) Wrong(entry, id, "the pool store is not usable");
  if (model_.waiting()) Wrong(entry, id, "extracted during a wait");
  const std::uint64_t least = input.request().all_or_nothing() ? input.request().count() : 1;
  if (count < least || count > input.request().count() || prepared.need() != least) {
    Wrong(entry, id,
          "it asks for " + std::to_string(count) + " machines, and needs " + std::to_string(prepared.need()));
  }
  if (prepared.deadline() != entry.at_us + kAnswerWithin) Wrong(entry, id, "another deadline than two seconds");
}

void ExtractionChecker::JudgeCandidates(const Entry& entry, const log::v1::ExtractionPrepared& prepared) {
  const std::string& id = prepared.extraction_id();
  std::set<std::uint32_t> seen;
  for (const std::uint32_t key : prepared.addresses()) {
    const std::string which = "address " + std::to_string(key);
    const ModelAddress* address = model_.Address(key);
    if (address == nullptr || !seen.insert(key).second) return Wrong(entry, id, which + " is unknown, or named twice");
    if (address->hold != HoldState::kUnowned) Wrong(entry, id, which + " is " + HoldStateName(address->hold));
    if (windows_.LatestOfOthers(key, 0, 0) > entry.at_us) Wrong(entry, id, which + " may still be in use by a worker");
    if (!prepared.adopted() && !model_.Grantable(*address)) Wrong(entry, id, which + " is not AVAILABLE");
  }
  for (const std::uint32_t key : prepared.proxies()) {
    const ModelProxy* proxy = model_.Proxy(key);
    if (proxy == nullptr || !seen.contains(proxy->address)) Wrong(entry, id, "a proxy of another machine");
  }
}

// ---- what becomes of it --------------------------------------------------------------------------------------------

void ExtractionChecker::StoreMoved(const std::string& extraction_id, const std::vector<std::string>& addresses,
                                   bool is_new) {
  const std::set<std::string> moved(addresses.begin(), addresses.end());
  moved_[extraction_id].insert(moved.begin(), moved.end());
  if (cancelled_.contains(extraction_id) && !moved.empty()) {
    violations_.Add("extractions", "the store moves " + *moved.begin() + " for " + extraction_id +
                                       ", of which it has said that it never would");
  }
  if (extraction_id.starts_with("stale-") && !moved.empty()) {
    violations_.Add("extractions", "the store moves " + *moved.begin() + " for a controller that another has followed");
  }
  // At its turn the store shows what was decided before the intent: everything that it asks for was free.
  const ModelExtraction* extraction = extractions_.Find(extraction_id);
  if (!is_new || extraction == nullptr || !extraction->open()) return;
  for (const std::uint32_t key : extraction->addresses) {
    const ModelAddress* address = model_.Address(key);
    if (address == nullptr || moved.contains(address->text)) continue;
    violations_.Add("extractions", "the store does not move " + address->text + " for " + extraction_id +
                                       ", which was free when that was asked for");
  }
}

void ExtractionChecker::BeforeDoubted(const Entry& entry, const log::v1::ExtractionDoubted& doubted) {
  const ModelExtraction* extraction = extractions_.At(doubted.extraction());
  if (extraction == nullptr || extraction->stage != ExtractionStage::kAsked) {
    return Wrong(entry, doubted.extraction_id(), "doubted, and not asked for");
  }
  told_otherwise_.insert(extraction->id);
  const bool told = entry.input.extraction_unanswered().extraction_id() == extraction->id;
  const bool late = IsTick(entry) && extraction->deadline <= entry.at_us;
  if (!told && !late) Wrong(entry, extraction->id, "doubted without a reason");
  if (doubted.deadline() != entry.at_us + kMostDoubt)
    Wrong(entry, extraction->id, "doubted for another time than 60 s");
}

void ExtractionChecker::BeforeExtracted(const Entry& entry, const log::v1::ProxiesExtracted& extracted) {
  const ModelExtraction* extraction = extractions_.At(extracted.extraction());
  if (extraction == nullptr) return Wrong(entry, extracted.extraction_id(), "extracted without an intent");
  if (extraction->adopted) return;
  ++extracted_;
  const std::string& id = extraction->id;
  if (told_otherwise_.contains(id)) Wrong(entry, id, "extracted after the client was told that there is nothing");
  if (extraction->stage != ExtractionStage::kAsked) Wrong(entry, id, "extracted, and not asked for");
  const log::v1::ExtractionAnswered& answer = entry.input.extraction_answered();
  if (answer.extraction_id() != id) return Wrong(entry, id, "extracted without an answer of the store");
  std::set<std::uint32_t> addresses(extracted.addresses().begin(), extracted.addresses().end());
  for (const std::uint32_t key : addresses) {
    const ModelAddress* address = model_.Address(key);
    const std::string which = "address " + std::to_string(key);
    if (!extraction->addresses.contains(key) || address == nullptr)
      return Wrong(entry, id, which + " was not asked for");
    const bool answered =
        std::find(answer.addresses().begin(), answer.addresses().end(), key) != answer.addresses().end();
    if (!answered || !moved_[id].contains(address->text)) Wrong(entry, id, which + " was not moved by the store");
  }
  if (addresses.size() < extraction->need) Wrong(entry, id, "extracted with fewer than are needed");
  addresses.insert(extracted.returned().begin(), extracted.returned().end());
  if (addresses != extraction->addresses) Wrong(entry, id, "what it did not get is not nobody's again");
  JudgeEnd(entry, *extraction, extracted);
}

// The end of the hold, at the latest the first expires_at; without a hold the earliest usable_until.
void ExtractionChecker::JudgeEnd(const Entry& entry, const ModelExtraction& extraction,
                                 const log::v1::ProxiesExtracted& extracted) {
  std::int64_t until = INT64_MAX;
  for (const std::uint32_t key : extracted.proxies()) {
    const ModelProxy* proxy = model_.Proxy(key);
    if (proxy == nullptr || !extraction.proxies.contains(key)) {
      return Wrong(entry, extraction.id, "a proxy is handed out that was not asked for");
    }
    until = std::min(until, extraction.hold > 0 ? proxy->expires_at : proxy->usable_until);
  }
  if (extraction.hold > 0) until = std::min(until, entry.at_us + extraction.hold);
  until = std::max(until, entry.at_us);
  if (extracted.extracted_until() != until) {
    Wrong(entry, extraction.id,
          "its end is " + std::to_string(extracted.extracted_until()) + " µs, by the request " + std::to_string(until) +
              " µs");
  }
  if (extracted.ends_at() != until + model_.settings().lapse_grace()) Wrong(entry, extraction.id, "another grace");
}

void ExtractionChecker::BeforeGivenBack(const Entry& entry, const log::v1::ExtractionGivenBack& given_back) {
  const ModelExtraction* extraction = extractions_.At(given_back.extraction());
  if (extraction == nullptr || !extraction->open()) {
    return Wrong(entry, given_back.extraction_id(), "given back, and not open");
  }
  const std::string& id = extraction->id;
  const std::set<std::uint32_t> addresses(given_back.addresses().begin(), given_back.addresses().end());
  if (addresses != extraction->addresses) Wrong(entry, id, "given back in part");
  const log::v1::ExtractionAnswered& answer = entry.input.extraction_answered();
  const bool answered = answer.extraction_id() == id;
  const bool late =
      IsTick(entry) && extraction->stage == ExtractionStage::kDoubted && extraction->deadline <= entry.at_us;
  if (!answered && !late) return Wrong(entry, id, "given back without a word of the store");
  const bool enough =
      static_cast<std::uint64_t>(answer.addresses_size()) >= std::max<std::uint64_t>(extraction->need, 1);
  if (extraction->stage == ExtractionStage::kAsked && enough) Wrong(entry, id, "given back, though enough was moved");
  moved_.erase(id);
}

// ---- its end -------------------------------------------------------------------------------------------------------

void ExtractionChecker::BeforeEnded(const Entry& entry, const log::v1::ExtractionEnded& ended) {
  const ModelExtraction* extraction = extractions_.At(ended.extraction());
  if (extraction == nullptr || extraction->stage != ExtractionStage::kStanding) {
    return Wrong(entry, ended.extraction_id(), "ends, and does not stand");
  }
  JudgeFreed(entry, *extraction, ended);
  if (ended.remembered_until() != entry.at_us + kDay)
    Wrong(entry, extraction->id, "remembered for another time than a day");
  if (ended.over()) {
    moved_.erase(extraction->id);
    told_.erase({extraction->client_id, extraction->request_id});
  }
  if (ended.request_id().empty()) {
    if (!IsTick(entry) || entry.at_us < extraction->ends_at) Wrong(entry, extraction->id, "ends before its time");
    if (!ended.over()) Wrong(entry, extraction->id, "ends in part by its time");
    return;
  }
  const distribution::v1::ReleaseRequest& request = entry.input.release();
  const bool its = entry.input.has_release() && request.extraction_id() == extraction->id &&
                   request.client_id() == extraction->client_id && request.request_id() == ended.request_id();
  if (!its) Wrong(entry, extraction->id, "released by another than who has it");
}

// What is free is what nothing is out of any more.
void ExtractionChecker::JudgeFreed(const Entry& entry, const ModelExtraction& extraction,
                                   const log::v1::ExtractionEnded& ended) {
  std::set<std::uint32_t> busy, freed;
  const std::set<std::uint32_t> back(ended.proxies().begin(), ended.proxies().end());
  for (const std::uint32_t proxy : back) {
    if (!extraction.proxies.contains(proxy)) Wrong(entry, extraction.id, "a proxy comes back that was not out");
  }
  for (const auto& [proxy, address] : extraction.proxies) {
    if (!back.contains(proxy)) busy.insert(address);
  }
  for (const std::uint32_t address : extraction.addresses) {
    if (!busy.contains(address)) freed.insert(address);
  }
  if (freed != std::set<std::uint32_t>(ended.addresses().begin(), ended.addresses().end())) {
    Wrong(entry, extraction.id, "other machines are free than those that nothing is out of");
  }
  if (ended.over() != busy.empty()) Wrong(entry, extraction.id, "it is over, or not, though something is out, or not");
}

void ExtractionChecker::BeforeForgotten(const Entry& entry, const log::v1::RequestForgotten& forgotten) {
  const ModelRelease* release = extractions_.ReleaseOf(forgotten.client_id(), forgotten.request_id());
  const ModelExtraction* extraction = extractions_.OfRequest(forgotten.client_id(), forgotten.request_id());
  std::int64_t until = 0;
  if (forgotten.release() && release != nullptr) until = release->remembered_until;
  if (!forgotten.release() && extraction != nullptr && extraction->stage == ExtractionStage::kOver) {
    until = extraction->remembered_until;
  }
  if (until == 0 || entry.at_us < until) Wrong(entry, forgotten.request_id(), "a request is forgotten too early");
}

// ---- what clients are told -----------------------------------------------------------------------------------------

void ExtractionChecker::Told(const distribution::v1::ExtractRequest& request,
                             const distribution::v1::ExtractResponse& response) {
  ++answers_;
  const auto wrong = [&](const std::string& what) {
    violations_.Add("extractions", request.client_id() + " is answered to " + request.request_id() + " with " +
                                       response.extraction_id() + ": " + what);
  };
  if (told_otherwise_.contains(response.extraction_id())) wrong("it was told before that there is nothing");
  const ModelExtraction* extraction = extractions_.OfRequest(request.client_id(), request.request_id());
  if (extraction == nullptr || extraction->open() || extraction->id != response.extraction_id()) {
    return wrong("that does not stand in the log");
  }
  std::string answer;
  for (const distribution::v1::ExtractedProxy& proxy : response.proxies()) answer += proxy.proxy_id() + " ";
  if (answer != extraction->answer || response.log_sequence() != extraction->answered)
    wrong("it is not what stands there");
  if (extraction->stage == ExtractionStage::kOver) return;
  const auto [before, is_first] = told_.try_emplace({request.client_id(), request.request_id()}, answer);
  if (!is_first && before->second != answer) wrong("it was answered with something else before");
}

}  // namespace holdfast::simulation
