// Looks at the end of RocksDB's own log (the WAL) before the database is opened, without changing anything.
//
// RocksDB itself cannot tell a write that a crash tore (nobody was told of it) from a changed byte in an acknowledged
// block at the very end: depending on where the byte stands, its recovery modes refuse or silently drop. This check
// can, in all but the case named in docs/log_format.md.
//
// Called once when a log is opened. Thread: any. Promises: reads only. Does not: judge older WALs; what is missing
// there leaves a gap in the chain.

#pragma once

#include <absl/status/statusor.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace holdfast {

struct WalEnd {
  enum class Kind {
    kSound,    // ends after a whole write, or there is none
    kCut,      // the last write is cut off
    kPunched,  // the last write has sectors that never reached the disk; only point-in-time recovery opens that
    kChanged,  // bytes of a whole write were changed: the log must not be opened
  };
  Kind kind = Kind::kSound;
  std::uint64_t offset = 0;      // where the damaged write begins
  std::uint64_t lost_bytes = 0;  // from there to the end
  std::string text;              // for people: file, offset, and the sequence after (or before) which it happened
};

// Of the newest WAL in the directory that holds anything.
absl::StatusOr<WalEnd> CheckWalEnd(const std::string& path);

// Of one WAL's bytes. `name` is for the text.
WalEnd CheckWalBytes(std::string_view name, std::string_view bytes);

}  // namespace holdfast
