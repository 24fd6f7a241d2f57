// One stream of updates over a network that has its faults.
//
// On the scheduler's thread. Belongs to the client; what comes from the wire is shown to `taps` first, and the client
// meets what the faults make of it.

#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "tools/fleet/network_faults.h"

namespace holdfast::fleet {

template <class Update>
class FaultyStream : public client::UpdateStream, public NetworkFaults::Stream {
 public:
  struct Taps {
    std::function<void(const Update& update)> arrived;  // from the wire
    std::function<void(const client::CallResult& result)> ended;
    std::function<void(const Update& update)> lost;            // the client will never see it
    std::function<Update(const Update& update)> as_delivered;  // what the client sees of it
  };

  FaultyStream(NetworkFaults& faults, Taps taps, client::StreamEvents<Update> events)
      : faults_(faults), taps_(std::move(taps)), events_(std::move(events)) {
    faults_.Opened(this);
  }
  ~FaultyStream() override { faults_.Closed(this); }

  // `open(events)` opens the stream on the wire. Without a network the stream stays silent, and is found broken when it
  // is back: it is not called then.
  template <class Open>
  void Begin(const Open& open) {
    inner_ = open(client::StreamEvents<Update>{[this](const Update& update) { OnUpdate(update); },
                                               [this](const client::CallResult& result) { OnEnd(result); }});
  }

  void ReadNext() override {
    wants_read_ = true;
    Resume();
  }

  void Resume() override {
    if (!inner_ || !wants_read_ || !faults_.reads()) return;
    wants_read_ = false;
    inner_->ReadNext();
  }

  void Break() override {
    if (std::exchange(broken_, true)) return;
    inner_.reset();
    faults_.scheduler().Post([this, alive = std::weak_ptr(alive_)] {
      if (alive.lock()) events_.on_end(NetworkFaults::Broken("the stream was broken on purpose"));
    });
  }

 private:
  void OnUpdate(const Update& update) {
    taps_.arrived(update);
    // Lost on a network that is gone: the stream is found broken when it is back.
    if (faults_.vanished()) {
      taps_.lost(update);
    } else {
      events_.on_update(taps_.as_delivered(update));
    }
  }

  void OnEnd(const client::CallResult& result) {
    taps_.ended(result);
    if (std::exchange(broken_, true)) return;
    events_.on_end(faults_.vanished() ? NetworkFaults::Broken("the network is gone") : result);
  }

  NetworkFaults& faults_;
  const Taps taps_;
  const client::StreamEvents<Update> events_;
  std::unique_ptr<client::UpdateStream> inner_;
  bool wants_read_ = false;
  bool broken_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace holdfast::fleet
