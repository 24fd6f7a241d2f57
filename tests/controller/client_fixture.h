// Clients and the pool store in a story: what they ask for, and what the store answers.
//
// Thread: plain functions of one test.

#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {

using EditExtract = std::function<void(distribution::v1::ExtractRequest&)>;

// The controller meets a store that has applied all that there is.
const Decision& MeetStore(Story& story);
const Decision& SeeStore(Story& story, const std::string& log_id, std::uint64_t applied, bool incomplete = false);

// A story whose store may be used.
struct ClientStory : Story {
  explicit ClientStory(const Settings& settings = WithoutReserve(), bool bootstrap = true)
      : Story(settings, bootstrap) {
    MeetStore(*this);
  }
};

// The id that is drawn for a client's request: of its own for each call of this.
const Decision& Ask(Story& story, const std::string& client, const std::string& request, std::uint32_t count,
                    const EditExtract& edit = {});
// What Ask has asked the store for. Requires: the last decision was such a one.
std::string AskedId(const Story& story);
const ExtractionRow& ExtractionRowOf(const Story& story, const std::string& extraction_id);

// The store moves all candidates, or these.
const Decision& Moves(Story& story, const std::string& extraction_id);
const Decision& Moves(Story& story, const std::string& extraction_id, const std::vector<AddressKey>& addresses);
const Decision& KeepsSilent(Story& story, const std::string& extraction_id);

// Asked and moved. Requires: both are well.
distribution::v1::ExtractResponse Extracts(Story& story, const std::string& client, const std::string& request,
                                           std::uint32_t count, const EditExtract& edit = {});
const Decision& Release(Story& story, const std::string& client, const std::string& request,
                        const std::string& extraction_id, const std::vector<std::string>& proxy_ids = {});

// Of a decision that settles an intent: what its client is told.
const distribution::v1::ExtractResponse& AnswerOf(const Decision& decision);
RejectReason RefusalOf(const Decision& decision);
// In the order in which they are handed out.
std::vector<std::string> IdsOf(const distribution::v1::ExtractResponse& response);
std::vector<std::string> IdsOf(int from, int to);

inline EditExtract Holding(Duration hold) {
  return [hold](auto& request) { request.mutable_hold()->set_seconds(hold / seconds(1)); };
}

}  // namespace holdfast::testing
