#include "tests/controller/client_fixture.h"

namespace holdfast::testing {

using distribution::v1::ExtractResponse;
using log::v1::Input;

const Decision& SeeStore(Story& story, const std::string& log_id, std::uint64_t applied, bool incomplete) {
  Input input;
  input.mutable_pool_store_seen()->set_log_id(log_id);
  input.mutable_pool_store_seen()->set_applied_sequence(applied);
  input.mutable_pool_store_seen()->set_incomplete(incomplete);
  return story.When(input);
}

const Decision& MeetStore(Story& story) {
  return SeeStore(story, story.state().run().log_id_text(), story.entries().back().point.sequence.value());
}

const Decision& Ask(Story& story, const std::string& client, const std::string& request, std::uint32_t count,
                    const EditExtract& edit) {
  Input input;
  distribution::v1::ExtractRequest& asked = *input.mutable_extract()->mutable_request();
  asked.set_client_id(client);
  asked.set_request_id(request);
  asked.set_count(count);
  if (edit) edit(asked);
  input.mutable_extract()->set_extraction_id("extraction-" + std::to_string(story.entries().size()));
  return story.When(input);
}

std::string AskedId(const Story& story) { return std::get<ExtractionAsked>(story.last().reply).extraction_id.value(); }

const ExtractionRow& ExtractionRowOf(const Story& story, const std::string& extraction_id) {
  return story.state().extractions().At(story.state().extractions().Find(extraction_id));
}

const Decision& Moves(Story& story, const std::string& extraction_id, const std::vector<AddressKey>& addresses) {
  Input input;
  input.mutable_extraction_answered()->set_extraction_id(extraction_id);
  for (const AddressKey address : addresses) input.mutable_extraction_answered()->add_addresses(address.value());
  return story.When(input);
}

const Decision& Moves(Story& story, const std::string& extraction_id) {
  return Moves(story, extraction_id, std::vector<AddressKey>(ExtractionRowOf(story, extraction_id).addresses));
}

const Decision& KeepsSilent(Story& story, const std::string& extraction_id) {
  Input input;
  input.mutable_extraction_unanswered()->set_extraction_id(extraction_id);
  return story.When(input);
}

ExtractResponse Extracts(Story& story, const std::string& client, const std::string& request, std::uint32_t count,
                         const EditExtract& edit) {
  Ask(story, client, request, count, edit);
  return AnswerOf(Moves(story, AskedId(story)));
}

const Decision& Release(Story& story, const std::string& client, const std::string& request,
                        const std::string& extraction_id, const std::vector<std::string>& proxy_ids) {
  Input input;
  input.mutable_release()->set_client_id(client);
  input.mutable_release()->set_request_id(request);
  input.mutable_release()->set_extraction_id(extraction_id);
  for (const std::string& id : proxy_ids) input.mutable_release()->add_proxy_ids(id);
  return story.When(input);
}

const ExtractResponse& AnswerOf(const Decision& decision) {
  return std::get<ExtractResponse>(std::get<ExtractionSettled>(decision.reply).answer);
}

RejectReason RefusalOf(const Decision& decision) {
  return std::get<Rejection>(std::get<ExtractionSettled>(decision.reply).answer).reason;
}

std::vector<std::string> IdsOf(const ExtractResponse& response) {
  std::vector<std::string> ids;
  for (const auto& proxy : response.proxies()) ids.push_back(proxy.proxy_id());
  return ids;
}

std::vector<std::string> IdsOf(int from, int to) {
  std::vector<std::string> ids;
  for (int number = from; number <= to; ++number) ids.push_back(IdOf(number));
  return ids;
}

}  // namespace holdfast::testing
