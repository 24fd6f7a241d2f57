// Where effects go: to a stream, or to a call that waits for the pool store.
//
// Life cycle: the loop's EffectSink; outlives it, as what it forwards to. Thread: the dispatcher's.

#pragma once

#include <utility>

#include "server/controller_loop.h"
#include "server/extraction_waits.h"
#include "server/stream_hub.h"

namespace holdfast::server {

class EffectRouter final : public EffectSink {
 public:
  EffectRouter(StreamHub& streams, ExtractionWaits& extractions) : streams_(streams), extractions_(extractions) {}

  void Carry(Effect effect) override {
    const auto* tell = std::get_if<TellExtraction>(&effect);
    if (tell == nullptr) return streams_.Carry(std::move(effect));
    extractions_.Settle({tell->extraction_id, tell->told});
  }

 private:
  StreamHub& streams_;
  ExtractionWaits& extractions_;
};

}  // namespace holdfast::server
