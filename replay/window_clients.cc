// Clients as holders beside workers' windows: nobody else may be using what one asks for or has.

#include <absl/strings/str_cat.h>

#include "replay/time_text.h"
#include "replay/window_invariants.h"

namespace holdfast::replay {

Violation WindowInvariants::Check(const ExtractionPrepared& event, LogTime at) {
  for (const AddressKey key : event.addresses) {
    const auto found = addresses_.find(key);
    if (found == addresses_.end()) {
      return absl::StrCat("extraction_prepared names address key ", key.value(), ", which is not there");
    }
    Address& address = found->second;
    const Window* window = OpenWindowOfOthers(address, WorkerKey(), 0, at);
    if (window != nullptr) {
      return absl::StrCat("address key ", key.value(), " is asked for by client ", event.client_id.value(),
                          " while worker ", NameOf(window->worker), " with epoch ", window->epoch,
                          " may be using it until ", TimeText(LogTimeFromMicros(End(*window))));
    }
    address.client = event.client_id.value();
  }
  return std::nullopt;
}

void WindowInvariants::Return(const std::vector<AddressKey>& addresses) {
  for (const AddressKey key : addresses) {
    if (const auto found = addresses_.find(key); found != addresses_.end()) found->second.client.clear();
  }
}

Violation WindowInvariants::Check(const ProxiesExtracted& event, LogTime) {
  Return(event.returned);
  return std::nullopt;
}

Violation WindowInvariants::Check(const ExtractionGivenBack& event, LogTime) {
  Return(event.addresses);
  return std::nullopt;
}

Violation WindowInvariants::Check(const ExtractionEnded& event, LogTime) {
  Return(event.addresses);
  return std::nullopt;
}

}  // namespace holdfast::replay
