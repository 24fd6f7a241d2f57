// How rows of ownership change: indices, counts and digest follow each change. For the files of ownership.h.
//
// Thread: the state's owner.

#pragma once

#include <algorithm>

#include "projections/ownership.h"

namespace holdfast {

Digest HashOf(AddressKey address, const HoldRow& row);
Digest HashOf(WorkerKey worker, const HolderRow& row);

template <class F>
void Ownership::ChangeHold(AddressKey address, F&& change) {
  HoldRow& row = holds_.At(address);
  digest_.Remove(HashOf(address, row));
  IndexHold(address, row, -1);
  CountHeld(row, -1);
  if (row.owner.value() != 0) {
    holders_.At(row.owner).owned.erase(address);
    if (row.state == OwnershipState::kRevoking) holders_.At(row.owner).revoking.erase(address);
  }
  change(row);
  if (row.owner.value() != 0) {
    holders_.At(row.owner).owned.insert(address);
    if (row.state == OwnershipState::kRevoking) holders_.At(row.owner).revoking.insert(address);
  }
  CountHeld(row, 1);
  IndexHold(address, row, 1);
  digest_.Add(HashOf(address, row));
}

template <class F>
void Ownership::ChangeHolder(WorkerKey worker, F&& change) {
  HolderRow& row = holders_.At(worker);
  digest_.Remove(HashOf(worker, row));
  IndexHolder(worker, row, false);
  const auto window_timer = [&] { return row.shown_addresses > 0 ? row.window_until : LogTime(); };
  // Who could be given something must answer as well: what is granted to the silent is lost for a whole window.
  const auto answer_timer = [&] {
    const bool asked = row.granted_addresses > 0 || (row.state == SessionState::kActive && !row.mute);
    return asked ? row.unanswered_since : LogTime();
  };
  const LogTime window = window_timer();
  const LogTime unanswered = answer_timer();
  change(row);
  holder_windows_.Move(worker, window, window_timer());
  unanswered_.Move(worker, unanswered, answer_timer());
  IndexHolder(worker, row, true);
  digest_.Add(HashOf(worker, row));
}

// Times of a proxy may move while its address is shown: the window that was given before does not shrink.
template <class F>
void Ownership::ChangeBrief(ProxyKey proxy, F&& change) {
  const AddressKey address = address_of_.At(proxy);
  const LogTime window = OwnedUntil(address);
  ChangeHold(address, [&](HoldRow& row) {
    if (row.state != OwnershipState::kUnowned) row.window_floor = std::max(row.window_floor, window);
    change(*std::find_if(row.proxies.begin(), row.proxies.end(), [&](auto& brief) { return brief.proxy == proxy; }));
  });
}

}  // namespace holdfast
