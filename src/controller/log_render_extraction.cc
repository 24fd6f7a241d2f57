// Events of extraction and of the pool store in a few words.

#include "controller/log_render_words.h"

namespace holdfast::log_words {
namespace {

using StoredEvent = log::v1::Event;

// "extraction 5a… of client-1".
template <class E>
std::string Extraction(const E& event) {
  return absl::StrCat("extraction ", event.extraction_id(), " of ", event.client_id());
}

std::string DescribeStore(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kPoolStoreJudged: {
      const auto& judged = event.pool_store_judged();
      const std::string log = judged.log_id().empty() ? std::string("no log") : absl::StrCat("log ", judged.log_id());
      return absl::StrCat("pool store is ", Words(judged.verdict()), ", of ", log, ", at sequence ",
                          judged.applied_sequence());
    }
    case StoredEvent::kPoolResynced:
      return absl::StrCat("pool store written anew at sequence ", event.pool_resynced().applied_sequence(), ", ",
                          event.pool_resynced().proxies(), " proxies");
    case StoredEvent::kPoolAdopted:
      return absl::StrCat("pool store adopted, before of log ", event.pool_adopted().previous_log_id(), " at sequence ",
                          event.pool_adopted().previous_applied_sequence(), ": ", Short(event.pool_adopted().reason()));
    default:
      return {};
  }
}

std::string DescribeEnd(const log::v1::ExtractionEnded& ended) {
  return absl::StrCat(Extraction(ended), ended.over() ? " over, " : " given back in part, ", Words(ended.reason()),
                      ", ", ended.addresses_size(), " addresses");
}

}  // namespace

std::string DescribeExtraction(const StoredEvent& event) {
  switch (event.event_case()) {
    case StoredEvent::kExtractionPrepared: {
      const auto& prepared = event.extraction_prepared();
      if (prepared.adopted()) return absl::StrCat(Extraction(prepared), " taken over from the pool store");
      return absl::StrCat(Extraction(prepared), " asked of the pool store, ", prepared.addresses_size(),
                          " addresses of ", prepared.requested(), " requested", Until(prepared.deadline()));
    }
    case StoredEvent::kExtractionDoubted:
      return absl::StrCat("extraction ", event.extraction_doubted().extraction_id(),
                          " not answered by the pool store: it can only be given back");
    case StoredEvent::kProxiesExtracted: {
      const auto& extracted = event.proxies_extracted();
      return absl::StrCat(Extraction(extracted), ": ", extracted.proxies_size(), " proxies on ",
                          extracted.addresses_size(), " addresses", Until(extracted.extracted_until()));
    }
    case StoredEvent::kExtractionGivenBack:
      return absl::StrCat(Extraction(event.extraction_given_back()), " gave nothing, ",
                          Words(event.extraction_given_back().reason()));
    case StoredEvent::kExtractionEnded:
      return DescribeEnd(event.extraction_ended());
    case StoredEvent::kRequestForgotten:
      return absl::StrCat(event.request_forgotten().release() ? "release " : "request ",
                          event.request_forgotten().request_id(), " of ", event.request_forgotten().client_id(),
                          " forgotten");
    case StoredEvent::kShortageNoted:
      if (event.shortage_noted().lacking() == 0) {
        return absl::StrCat("nothing is kept for ", event.shortage_noted().client_id(), " any more");
      }
      return absl::StrCat(event.shortage_noted().lacking(), " addresses kept for ", event.shortage_noted().client_id(),
                          Until(event.shortage_noted().until()));
    default:
      return DescribeStore(event);
  }
}

}  // namespace holdfast::log_words
