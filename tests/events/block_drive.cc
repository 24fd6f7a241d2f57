#include "tests/events/block_drive.h"

#include <string>

#include "base/check.h"
#include "events/block_builder.h"
#include "events/block_codec.h"

namespace holdfast::testing {
namespace {

EncodedBlock BuildAgain(const DecodedBlock& decoded) {
  BlockBuilder builder(decoded.header.log_id, decoded.header.boot_id);
  builder.Begin(decoded.header.first);
  for (const StoredEntry& entry : decoded.entries) {
    builder.Add({.at = entry.at,
                 .principal = entry.principal,
                 .input_prefix = std::string_view(entry.input).substr(0, entry.input.size() / 2),
                 .input_body = std::string_view(entry.input).substr(entry.input.size() / 2),
                 .bulk = entry.bulk,
                 .events = entry.events});
  }
  return builder.Seal({.boot_micros = decoded.header.boot_micros,
                       .state_version = decoded.header.state_version,
                       .state_digest = decoded.header.state_digest,
                       .previous_hash = decoded.previous_hash});
}

}  // namespace

bool DriveBlock(std::string_view block, std::string_view bulk) {
  BlockView view;
  const bool parses = view.Parse(block, bulk).ok();
  HOLDFAST_CHECK(!parses || (ParseBlockHeader(block).ok() && ParseBulkBytes(block).ok()));
  HOLDFAST_CHECK(parses || view.entries().empty());
  const absl::StatusOr<DecodedBlock> decoded =
      DecodeBlock({.first = {}, .block = std::string(block), .bulk = std::string(bulk)});
  HOLDFAST_CHECK(decoded.ok() == (parses && VerifyBlock(view).ok()));
  if (!decoded.ok()) return false;
  bool dropped = false;
  for (const StoredEntry& entry : decoded->entries) dropped = dropped || entry.input_dropped;
  if (!dropped) {
    const EncodedBlock again = BuildAgain(*decoded);
    HOLDFAST_CHECK(again.block == block && again.bulk == bulk && again.hash == decoded->hash);
  }
  return true;
}

}  // namespace holdfast::testing
