#include "replay/checked_block.h"

#include <absl/strings/str_cat.h>

#include "events/event_codec.h"
#include "events/log_error.h"

namespace holdfast::replay {
namespace {

absl::Status AtEntry(const EntryView& entry, const absl::Status& status) {
  return absl::Status(status.code(), absl::StrCat("sequence ", entry.sequence.value(), ": ", status.message()));
}

absl::Status DecodeEntry(const EntryView& entry, Sequence inputs_from, google::protobuf::Arena& arena,
                         DecodedEntry& decoded) {
  if (absl::Status status = DecodeEvents(entry.events, decoded.events); !status.ok()) return AtEntry(entry, status);
  if (entry.sequence < inputs_from || entry.input_dropped) return absl::OkStatus();
  auto* input = google::protobuf::Arena::CreateMessage<log::v1::Input>(&arena);
  if (!input->ParseFromArray(entry.input.data(), static_cast<int>(entry.input.size()))) {
    return AtEntry(entry, absl::InvalidArgumentError("its input is malformed"));
  }
  decoded.input = input;
  return absl::OkStatus();
}

}  // namespace

void CheckChain(const StoredBlock& stored, bool from_the_middle, std::optional<ChainVerifier>& chain,
                CheckedBlock& block) {
  block.first = stored.first;
  block.entries.clear();
  block.decoding = absl::OkStatus();
  block.chain = block.view.Parse(stored.block, stored.bulk);
  if (!block.chain.ok()) {
    block.chain = WithDamageAdvice(absl::Status(
        block.chain.code(), absl::StrCat("block at sequence ", stored.first.value(), ": ", block.chain.message())));
    return;
  }
  if (!chain.has_value()) {
    chain.emplace();
    const BlockHeader& header = block.view.header();
    if (from_the_middle && header.first.value() > 1) {
      chain.emplace(ChainPoint{header.log_id, Sequence(header.first.value() - 1), block.view.previous_hash()});
    }
  }
  block.chain = chain->Check(block.view);
}

void DecodeEntries(Sequence inputs_from, google::protobuf::Arena& arena, CheckedBlock& block) {
  block.entries.reserve(block.view.entries().size());
  for (const EntryView& entry : block.view.entries()) {
    DecodedEntry& decoded = block.entries.emplace_back();
    block.decoding = DecodeEntry(entry, inputs_from, arena, decoded);
    if (block.decoding.ok()) continue;
    block.entries.pop_back();
    return;
  }
}

}  // namespace holdfast::replay
