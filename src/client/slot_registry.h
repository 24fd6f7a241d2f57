// The slots of a process by proxy_id: one word a proxy, for as long as a view lists it or something runs through it.
//
// Called on the client's thread only; the slots themselves are used by any thread (slot.h). Outlives views and
// sessions. Walks in the order of ids, so that what is reported has one order.

#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "client/slot.h"

namespace holdfast::client {

class SlotRegistry {
 public:
  // The slot of `proxy_id`, made (closed) if there is none.
  std::shared_ptr<Slot> Get(const std::string& proxy_id) {
    std::shared_ptr<Slot>& slot = slots_[proxy_id];
    if (!slot) slot = std::make_shared<Slot>();
    return slot;
  }

  // Null where there is none.
  Slot* Find(std::string_view proxy_id) const {
    const auto found = slots_.find(proxy_id);
    return found == slots_.end() ? nullptr : found->second.get();
  }

  template <class Visitor>
  void ForEach(const Visitor& visitor) const {
    for (const auto& [proxy_id, slot] : slots_) visitor(proxy_id, *slot);
  }

  // Forgets the slots that nobody else holds: no row, no lease.
  void Collect() {
    std::erase_if(slots_, [](const auto& entry) { return entry.second.use_count() == 1; });
  }

  std::size_t size() const { return slots_.size(); }

 private:
  std::map<std::string, std::shared_ptr<Slot>, std::less<>> slots_;
};

}  // namespace holdfast::client
