// A block on its way through a replay, in three steps that may run on three threads: its place in the chain and its
// hashes are checked, its entries are decoded, and then somebody folds or judges them.
//
// Thread: belongs to one at a time; the steps of one block follow each other. Does not own the stored bytes.

#pragma once

#include <absl/status/status.h>
#include <google/protobuf/arena.h>

#include <optional>
#include <string>
#include <vector>

#include "events/chain_verifier.h"
#include "events/event.h"
#include "events/event_log.h"
#include "holdfast/log/v1/input.pb.h"

namespace holdfast::replay {

struct DecodedEntry {
  std::vector<Event> events;
  const log::v1::Input* input = nullptr;  // on the arena; null: not asked for, or its body was dropped
};

struct CheckedBlock {
  Sequence first;  // as the log says; what was expected where the log could not say
  BlockView view;
  absl::Status chain;                 // not OK: nothing below holds
  std::vector<DecodedEntry> entries;  // of the view's entries, as far as they can be decoded
  absl::Status decoding;              // why the next one cannot be; OK: all are there
};

// Step one. `chain`: after the block before; it is not moved when the block does not follow. `from_the_middle`: the
// block is the first that is read and need not be the first of the log: what it says of the block before is believed.
void CheckChain(const StoredBlock& stored, bool from_the_middle, std::optional<ChainVerifier>& chain,
                CheckedBlock& block);

// Step two. Inputs of entries before `inputs_from` are left alone. Requires: block.chain is OK.
// decoding: InvalidArgument (bytes that are no event or no input), Unimplemented (of a newer version).
void DecodeEntries(Sequence inputs_from, google::protobuf::Arena& arena, CheckedBlock& block);

}  // namespace holdfast::replay
