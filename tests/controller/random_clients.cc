#include "tests/controller/random_clients.h"

namespace holdfast::testing {

RandomClients::RandomClients(std::uint64_t seed) : random_story_(seed), random_(seed * 7 + 1) { MeetStore(story()); }

void RandomClients::Step() {
  random_story_.Step();
  if (!story().state().pool_store().usable() || random_.Below(60) == 0) StoreStep();
  for (std::uint64_t i = random_.Below(3); i > 0; --i) ClientStep();
  if (random_.Below(3) == 0) story().Settle();
}

void RandomClients::StoreStep() {
  log::v1::Input input;
  switch (random_.Below(8)) {
    case 0:
      SeeStore(story(), std::string(32, 'f'), 9);
      return;
    case 1:
      SeeStore(story(), "", 0);
      return;
    case 2:
      input.mutable_adopt_pool()->mutable_request()->set_reason("chance");
      if (random_.Below(2) == 0) {
        auto& shown = *input.mutable_adopt_pool()->add_extractions();
        shown.set_extraction_id("adopted-" + std::to_string(story().entries().size()));
        shown.add_addresses("198.18.0." + std::to_string(1 + random_.Below(9)) + ":8080");
        shown.set_extracted_until(ToMicros(story().now() + seconds(20)));
        shown.set_ends_at(ToMicros(story().now() + seconds(30)));
      }
      story().When(input);
      return;
    case 3:
      input.mutable_pool_store_written()->set_applied_sequence(1);
      story().When(input);
      return;
    default:
      if (!story().state().pool_store().must_be_adopted() || random_.Below(4) == 0) MeetStore(story());
  }
}

void RandomClients::ClientStep() {
  switch (random_.Below(6)) {
    case 0:
    case 1:
      return AskStep();
    case 2:
      return ReleaseStep();
    default:
      return AnswerStep();
  }
}

void RandomClients::AskStep() {
  const std::string client = "c" + std::to_string(random_.Below(3));
  Ask(story(), client, "r" + std::to_string(random_.Below(40)), static_cast<std::uint32_t>(1 + random_.Below(4)),
      [&](distribution::v1::ExtractRequest& request) {
        request.set_all_or_nothing(random_.Below(3) == 0);
        request.set_resolves_secrets(random_.Below(2) == 0);
        if (random_.Below(2) == 0)
          request.mutable_hold()->set_seconds(static_cast<std::int64_t>(5 + random_.Below(90)));
        if (random_.Below(4) == 0) request.mutable_min_remaining()->set_seconds(30);
        if (random_.Below(5) == 0) (*request.mutable_labels())["country"] = "NO";
        if (random_.Below(5) == 0) request.add_schemes(controlplane::v1::PROXY_SCHEME_SOCKS5);
      });
}

std::string RandomClients::Any(bool open) {
  std::vector<std::string> ids;
  story().state().extractions().rows().ForEach([&](ExtractionKey, const ExtractionRow& row) {
    const bool wanted = open ? row.open() : row.phase == ExtractionPhase::kStanding;
    if (wanted) ids.push_back(row.extraction_id.value());
  });
  return ids.empty() ? "" : ids[random_.Below(ids.size())];
}

void RandomClients::AnswerStep() {
  const std::string id = Any(true);
  if (id.empty()) return;
  if (random_.Below(5) == 0) {
    KeepsSilent(story(), id);
    return;
  }
  std::vector<AddressKey> moved;
  for (const AddressKey address : ExtractionRowOf(story(), id).addresses) {
    if (random_.Below(6) != 0) moved.push_back(address);
  }
  Moves(story(), id, moved);
}

void RandomClients::ReleaseStep() {
  const std::string id = Any(false);
  if (id.empty()) return;
  const ExtractionRow& row = ExtractionRowOf(story(), id);
  std::vector<std::string> some;
  for (const ProxySpec& spec : row.specs) {
    if (random_.Below(2) == 0) some.push_back(spec.proxy_id.value());
  }
  const std::string client = random_.Below(8) == 0 ? "c9" : row.client_id.value();
  Release(story(), client, "x" + std::to_string(random_.Below(200)), id, some);
}

}  // namespace holdfast::testing
