// Clients in a log that tests verify: every rule of extraction decides something of it.

#include "tests/replay/log_story_clients.h"

#include <functional>

namespace holdfast::testing {
namespace {

using distribution::v1::ExtractRequest;
using Edit = std::function<void(ExtractRequest&)>;

log::v1::Input StoreSeen(const std::string& log_id, std::uint64_t applied) {
  log::v1::Input input;
  input.mutable_pool_store_seen()->set_log_id(log_id);
  input.mutable_pool_store_seen()->set_applied_sequence(applied);
  return input;
}

log::v1::Input StoreWritten(const LogMaker& maker) {
  log::v1::Input input;
  input.mutable_pool_store_written()->set_applied_sequence(maker.state().run().last().sequence.value());
  return input;
}

// For `count`; its extraction is named after the request.
log::v1::Input Asking(const std::string& request, std::uint32_t count, const Edit& edit) {
  log::v1::Input input;
  ExtractRequest& asked = *input.mutable_extract()->mutable_request();
  asked.set_client_id("client-1");
  asked.set_request_id(request);
  asked.set_count(count);
  if (edit) edit(asked);
  input.mutable_extract()->set_extraction_id("extraction-" + request);
  return input;
}

void Ask(LogMaker& maker, const std::string& request, std::uint32_t count, const Edit& edit = {}) {
  maker.Send(Asking(request, count, edit));
}

// The store moves all but so many of the candidates.
void Answer(LogMaker& maker, const std::string& request, std::size_t without = 0) {
  log::v1::Input input;
  input.mutable_extraction_answered()->set_extraction_id("extraction-" + request);
  const Extractions& extractions = maker.state().extractions();
  const ExtractionKey key = extractions.Find("extraction-" + request);
  if (key.value() != 0) {
    const std::vector<AddressKey>& candidates = extractions.At(key).addresses;
    for (std::size_t i = without; i < candidates.size(); ++i) {
      input.mutable_extraction_answered()->add_addresses(candidates[i].value());
    }
  }
  maker.Send(input);
}

void StaySilent(LogMaker& maker, const std::string& request) {
  log::v1::Input input;
  input.mutable_extraction_unanswered()->set_extraction_id("extraction-" + request);
  input.mutable_extraction_unanswered()->set_cause("the store cannot be reached");
  maker.Send(input);
}

void Release(LogMaker& maker, const std::string& request, const std::string& of,
             const std::vector<std::string>& proxy_ids = {}) {
  log::v1::Input input;
  input.mutable_release()->set_client_id("client-1");
  input.mutable_release()->set_request_id(request);
  input.mutable_release()->set_extraction_id("extraction-" + of);
  for (const std::string& id : proxy_ids) input.mutable_release()->add_proxy_ids(id);
  maker.Send(input);
}

void Hold(ExtractRequest& request, std::int64_t for_seconds) { request.mutable_hold()->set_seconds(for_seconds); }

}  // namespace

void ServeClients(LogMaker& maker, const std::vector<std::string>& workers) {
  Ask(maker, "early", 1);
  maker.Send(StoreSeen(maker.state().run().log_id_text(), maker.state().run().last().sequence.value()));
  const Edit not_http = [](ExtractRequest& request) {
    (*request.mutable_labels())["tier"] = "gold";
    request.add_schemes(controlplane::v1::PROXY_SCHEME_SOCKS5);
    request.add_schemes(controlplane::v1::PROXY_SCHEME_HTTPS);
    Hold(request, 3'600);
  };
  // Before they are placed; what is looked at first does not fit.
  maker.SendTogether(
      {maker.Import("gold", "8.8.10", 3, {.label = "gold"}),
       maker.Import("gold-socks", "8.8.9", 3, {.label = "gold", .scheme = controlplane::v1::PROXY_SCHEME_SOCKS5}),
       Asking("fits", 2, not_http)});
  Answer(maker, "fits");
  Ask(maker, "fits", 2, not_http);
  Ask(maker, "fits", 3, not_http);
  Ask(maker, "part", 3, [](ExtractRequest& request) { Hold(request, 20); });
  Ask(maker, "part", 3, [](ExtractRequest& request) { Hold(request, 20); });
  Answer(maker, "part", 1);
  maker.Live(workers, 35);  // its hold is over
  Ask(maker, "none", 1);
  Answer(maker, "none", 1);
  Ask(maker, "silent", 1);
  StaySilent(maker, "silent");
  Answer(maker, "silent");
  Ask(maker, "forgotten", 1);
  maker.Live(workers, 65);  // nobody answers for so long that it is given back
  Ask(maker, "many", 30, [](ExtractRequest& request) { request.set_all_or_nothing(true); });
  maker.Live(workers, 20);
  Release(maker, "back-1", "fits", {"gold-socks1"});
  Release(maker, "back-1", "fits", {"gold-socks1"});
  Release(maker, "back-2", "fits", {"no-such"});
  Ask(maker, "open", 1);
}

void ChangeTheStore(LogMaker& maker, const std::vector<std::string>& workers) {
  maker.Send(StoreSeen(maker.state().run().log_id_text(), 1));
  Answer(maker, "open");
  Release(maker, "back-3", "fits");
  maker.Send(StoreSeen("", 0));
  maker.Send(StoreWritten(maker));
  maker.Send(StoreSeen(std::string(32, 'a'), 7));
  maker.Live(workers, 50);
  log::v1::Input adopt;
  adopt.mutable_adopt_pool()->mutable_request()->set_reason("the store of the machine that was taken away");
  adopt.mutable_adopt_pool()->add_extractions()->set_extraction_id("of-another-log");
  auto& shown = *adopt.mutable_adopt_pool()->mutable_extractions(0);
  shown.set_client_id("client-2");
  shown.add_addresses("8.8.10.1:8000");
  shown.set_extracted_until(ToMicros(maker.now()) + 20'000'000);
  shown.set_ends_at(ToMicros(maker.now()) + 30'000'000);
  maker.Send(adopt);
  maker.Send(StoreWritten(maker));
  maker.Live(workers, 40);
}

}  // namespace holdfast::testing
