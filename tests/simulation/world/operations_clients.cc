// What is said of extractions by others than good clients: releases of what is another's, requests with another
// content, malformed ones; and what operators do about the pool store.

#include <algorithm>
#include <map>
#include <string>

#include "controller/proto_time.h"
#include "tests/simulation/world/operation.h"

namespace holdfast::simulation {
namespace {

using log::v1::Input;

ClientHost* AnyClient(Scene& scene) {
  return scene.clients.empty() ? nullptr : scene.clients[scene.world.random.Below(scene.clients.size())].get();
}

distribution::v1::ExtractRequest SomeRequest(const std::string& client_id, const std::string& request_id) {
  distribution::v1::ExtractRequest request;
  request.set_client_id(client_id);
  request.set_request_id(request_id);
  request.set_count(1);
  PutDuration(std::chrono::seconds(20), request.mutable_hold());
  return request;
}

// Under an id that stood for something else, or for nothing.
void OtherContent(Scene& scene) {
  ClientHost* client = AnyClient(scene);
  if (client == nullptr || client->current().LastRequest().empty()) return;
  Input input;
  auto& request = *input.mutable_extract()->mutable_request();
  request = SomeRequest(client->identity().client_id, client->current().LastRequest());
  request.set_count(7);
  scene.Send(input, kRogue);
}

void ReleaseOfAnother(Scene& scene) {
  ClientHost* client = AnyClient(scene);
  if (client == nullptr) return;
  const std::string id = client->current().AnyExtraction();
  Input input;
  auto& request = *input.mutable_release();
  request.set_client_id(scene.world.random.Chance(1, 2) ? "stranger" : AnyClient(scene)->identity().client_id + "x");
  request.set_extraction_id(id.empty() ? "0123456789abcdef0123456789abcdef" : id);
  request.set_request_id("r-" + std::to_string(scene.world.random.Below(1'000)));
  scene.Send(input, kRogue);
}

// Of its own, and of what is not in it.
void ReleaseTooMuch(Scene& scene) {
  ClientHost* client = AnyClient(scene);
  if (client == nullptr || client->current().AnyExtraction().empty()) return;
  Input input;
  auto& request = *input.mutable_release();
  request.set_client_id(client->identity().client_id);
  request.set_extraction_id(client->current().AnyExtraction());
  request.set_request_id("more-" + std::to_string(scene.world.random.Below(1'000)));
  for (const auto& [key, proxy] : scene.world.checkers.model().proxies()) request.add_proxy_ids(proxy.proxy_id);
  request.add_proxy_ids("nothing-of-this-name");
  scene.Send(input, kRogue);
}

// One request_id for two releases; neither is of anything.
void ReleaseConflict(Scene& scene) {
  ClientHost* client = AnyClient(scene);
  if (client == nullptr) return;
  Input input;
  auto& request = *input.mutable_release();
  request.set_client_id(client->identity().client_id);
  request.set_extraction_id("fedcba9876543210fedcba9876543210");
  request.set_request_id("back-p1-" + std::to_string(1 + scene.world.random.Below(40)));
  scene.Send(input, kRogue);
}

void MalformedExtract(Scene& scene) {
  Input input;
  auto& request = *input.mutable_extract()->mutable_request();
  request = SomeRequest("stranger", "m");
  switch (scene.world.random.Below(4)) {
    case 0:
      request.set_count(0);
      break;
    case 1:
      request.set_count(401);
      break;
    case 2:
      request.clear_hold();
      request.mutable_hold();
      break;
    default:
      request.set_request_id("");
  }
  scene.Send(input, kRogue);
}

// A client that calls once, and never hears what it was given.
void ExtractAndVanish(Scene& scene) {
  Input input;
  *input.mutable_extract()->mutable_request() =
      SomeRequest("gone", "g-" + std::to_string(scene.world.random.Below(100'000)));
  scene.Send(input, kRogue);
}

// With what the store shows as extracted at that moment.
Input AdoptionOf(Scene& scene) {
  Input input;
  input.mutable_adopt_pool()->mutable_request()->set_reason(kReason);
  std::map<std::string, log::v1::AdoptPool::Extraction> shown;
  for (const pool::AddressRow& row : scene.store.Addresses()) {
    if (row.state != pool::AddressState::kExtracted) continue;
    log::v1::AdoptPool::Extraction& extraction = shown[row.extraction_id];
    extraction.set_extraction_id(row.extraction_id);
    extraction.add_addresses(row.id);
    extraction.set_extracted_until(ToMicros(row.extracted_until));
    extraction.set_ends_at(extraction.extracted_until() + scene.controller.settings().lapse_grace.count());
  }
  for (const auto& [id, extraction] : shown) *input.mutable_adopt_pool()->add_extractions() = extraction;
  return input;
}

void Adopt(Scene& scene) { SendAdoptPool(scene); }

}  // namespace

void SendAdoptPool(Scene& scene) { scene.Send(AdoptionOf(scene), kOperator); }

std::vector<Operation> ClientOperations() {
  return {{"extract under another's request", 10, OtherContent},
          {"release another's extraction", 10, ReleaseOfAnother},
          {"release more than was extracted", 10, ReleaseTooMuch},
          {"release under a request that was used", 8, ReleaseConflict},
          {"extract, malformed", 4, MalformedExtract},
          {"extract and vanish", 10, ExtractAndVanish},
          {"adopt the pool store", 12, Adopt}};
}

}  // namespace holdfast::simulation
