#include "tests/simulation/checkers/extraction_model.h"

#include <algorithm>

namespace holdfast::simulation {

using log::v1::Event;

std::string ContentOf(const distribution::v1::ExtractRequest& request) {
  const std::set<int> schemes(request.schemes().begin(), request.schemes().end());
  const std::map<std::string, std::string> labels(request.labels().begin(), request.labels().end());
  distribution::v1::ExtractRequest rest = request;
  for (const char* field : {"client_id", "request_id", "labels", "schemes"}) {
    rest.GetReflection()->ClearField(&rest, rest.GetDescriptor()->FindFieldByName(field));
  }
  std::string content = rest.ShortDebugString();
  for (const int scheme : schemes) content += " scheme " + std::to_string(scheme);
  for (const auto& [key, value] : labels) content.append(" label ").append(key).append("=").append(value);
  return content;
}

std::string ContentOf(const distribution::v1::ReleaseRequest& request) {
  std::string content = request.extraction_id();
  for (const std::string& id : std::set<std::string>(request.proxy_ids().begin(), request.proxy_ids().end())) {
    content.append(" ").append(id);
  }
  return content;
}

void ExtractionModel::Apply(const Entry& entry, const Event& event) {
  switch (event.event_case()) {
    case Event::kExtractionPrepared:
      return Prepare(entry, event.extraction_prepared());
    case Event::kExtractionDoubted: {
      ModelExtraction& extraction = extractions_[event.extraction_doubted().extraction()];
      extraction.stage = ExtractionStage::kDoubted;
      extraction.deadline = event.extraction_doubted().deadline();
      return;
    }
    case Event::kProxiesExtracted:
      return Extract(entry, event.proxies_extracted());
    case Event::kExtractionGivenBack:
      extractions_.erase(event.extraction_given_back().extraction());
      return;
    case Event::kExtractionEnded:
      return End(entry, event.extraction_ended());
    case Event::kRequestForgotten: {
      const log::v1::RequestForgotten& forgotten = event.request_forgotten();
      if (forgotten.release()) releases_.erase({forgotten.client_id(), forgotten.request_id()});
      if (forgotten.release()) return;
      std::erase_if(extractions_, [&](const auto& row) {
        return row.second.client_id == forgotten.client_id() && row.second.request_id == forgotten.request_id();
      });
      return;
    }
    case Event::kShortageNoted: {
      const log::v1::ShortageNoted& noted = event.shortage_noted();
      lacking_.erase({noted.client_id(), noted.request_id()});
      if (noted.lacking() > 0) lacking_[{noted.client_id(), noted.request_id()}] = noted.lacking();
      return;
    }
    default:
      return ApplyRun(event);
  }
}

void ExtractionModel::ApplyRun(const Event& event) {
  if (event.has_pool_store_judged()) verdict_ = event.pool_store_judged().verdict();
  if (event.has_pool_resynced()) verdict_ = log::v1::POOL_STORE_VERDICT_USABLE;
  if (event.has_pool_adopted()) verdict_ = log::v1::POOL_STORE_VERDICT_BEHIND;
  if (event.has_wait_started()) wait_until_ = event.wait_started().until();
  if (event.has_wait_ended()) wait_until_ = 0;
  if (event.has_controller_started()) {
    if (!must_be_adopted()) verdict_ = log::v1::POOL_STORE_VERDICT_UNSPECIFIED;
    const log::v1::ControllerStarted& started = event.controller_started();
    Shift(started.downtime(), started.same_boot() ? 0 : started.downtime());
  }
  if (event.has_clock_accepted()) {
    Shift(event.clock_accepted().moved(), event.clock_accepted().moved());
    if (wait_until_ != 0) wait_until_ += event.clock_accepted().moved();
  }
}

// Deadlines of answers count uptime.
void ExtractionModel::Shift(std::int64_t open, std::int64_t others) {
  for (auto& [key, extraction] : extractions_) {
    if (extraction.open()) extraction.deadline += open;
    for (std::int64_t* time : {&extraction.extracted_until, &extraction.ends_at, &extraction.remembered_until}) {
      if (*time != 0) *time += others;
    }
  }
  for (auto& [key, release] : releases_) release.remembered_until += others;
}

void ExtractionModel::Prepare(const Entry& entry, const log::v1::ExtractionPrepared& prepared) {
  ModelExtraction& extraction = extractions_[prepared.extraction()];
  extraction.id = prepared.extraction_id();
  extraction.client_id = prepared.client_id();
  extraction.request_id = prepared.request_id();
  extraction.request = entry.input.extract().request();
  extraction.adopted = prepared.adopted();
  extraction.addresses = {prepared.addresses().begin(), prepared.addresses().end()};
  int next = 0;
  for (int i = 0; i < prepared.counts_size(); ++i) {
    for (std::uint32_t k = 0; k < prepared.counts(i) && next < prepared.proxies_size(); ++k) {
      extraction.proxies[prepared.proxies(next++)] = prepared.addresses(i);
    }
  }
  extraction.need = prepared.need();
  extraction.requested = prepared.requested();
  extraction.hold = prepared.hold();
  extraction.deadline = prepared.deadline();
  lacking_.erase({extraction.client_id, extraction.request_id});
}

void ExtractionModel::Extract(const Entry& entry, const log::v1::ProxiesExtracted& extracted) {
  ModelExtraction& extraction = extractions_[extracted.extraction()];
  extraction.stage = ExtractionStage::kStanding;
  extraction.addresses = {extracted.addresses().begin(), extracted.addresses().end()};
  const std::set<std::uint32_t> handed_out(extracted.proxies().begin(), extracted.proxies().end());
  std::erase_if(extraction.proxies, [&](const auto& proxy) { return !handed_out.contains(proxy.first); });
  for (int i = 0; i < extracted.proxies_size() && i < extracted.specs_size(); ++i) {
    extraction.by_id[extracted.specs(i).proxy_id()] = extracted.proxies(i);
    extraction.answer += extracted.specs(i).proxy_id() + " ";
  }
  extraction.extracted_until = extracted.extracted_until();
  extraction.ends_at = extracted.ends_at();
  extraction.answered = entry.sequence;
}

void ExtractionModel::End(const Entry& entry, const log::v1::ExtractionEnded& ended) {
  ModelExtraction& extraction = extractions_[ended.extraction()];
  for (const std::uint32_t proxy : ended.proxies()) extraction.proxies.erase(proxy);
  for (const std::uint32_t address : ended.addresses()) extraction.addresses.erase(address);
  if (!ended.request_id().empty()) {
    releases_[{ended.client_id(), ended.request_id()}] = {entry.input.release(), ended.remembered_until()};
  }
  if (!ended.over()) return;
  if (extraction.request_id.empty()) {
    extractions_.erase(ended.extraction());
    return;
  }
  extraction.stage = ExtractionStage::kOver;
  extraction.remembered_until = ended.remembered_until();
}

const ModelExtraction* ExtractionModel::At(std::uint64_t key) const {
  const auto found = extractions_.find(key);
  return found == extractions_.end() ? nullptr : &found->second;
}

const ModelExtraction* ExtractionModel::Find(const std::string& id) const {
  const auto found =
      std::find_if(extractions_.begin(), extractions_.end(), [&](const auto& row) { return row.second.id == id; });
  return found == extractions_.end() ? nullptr : &found->second;
}

const ModelExtraction* ExtractionModel::OfRequest(const std::string& client_id, const std::string& request_id) const {
  const auto found = std::find_if(extractions_.begin(), extractions_.end(), [&](const auto& row) {
    return row.second.client_id == client_id && row.second.request_id == request_id;
  });
  return found == extractions_.end() ? nullptr : &found->second;
}

const ModelRelease* ExtractionModel::ReleaseOf(const std::string& client_id, const std::string& request_id) const {
  const auto found = releases_.find({client_id, request_id});
  return found == releases_.end() ? nullptr : &found->second;
}

std::uint64_t ExtractionModel::lacking() const {
  std::uint64_t lacking = 0;
  for (const auto& [key, count] : lacking_) lacking += count;
  return lacking;
}

}  // namespace holdfast::simulation
