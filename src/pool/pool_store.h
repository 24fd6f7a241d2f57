// The pool store: the pool as readers outside see it, and the one place where an available address becomes extracted.
// It is a projection of the log; docs/pool_store.md has keys, scripts and what to do about each answer.
//
//   EMPTY ─ BeginResync ─► RESYNCING ─ ClearSome…, WriteResync…, FinishResync ─► READY ─ Apply, Extract, Cancel ─┐
//     ▲                      ▲   └─ broken off: begin again                       ▲  │ └──────────────────────────┘
//     └─ lost its data       └───────────────────────── BeginResync ──────────────┘  (a new log, a rebuild)
//
// Called by the projector alone, on its own thread, never the sequencer's: every call may wait, at most for `patience`.
// Promises: a call takes effect as a whole or not at all; in the order of the log, once; never for a controller that
// another has followed. A status that is not OK says what became of the call (trouble.h); a refusal is an answer, with
// the reason and where the store stands. Does not decide, retry, or wait between tries; that is the projector's.

#pragma once

#include <absl/status/statusor.h>

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/ids.h"
#include "base/log_time.h"
#include "base/strong_id.h"
#include "pool/rows.h"

namespace holdfast {
using LogId = std::array<std::uint8_t, 16>;
}  // namespace holdfast

namespace holdfast::pool {

// Of a start of the daemon: grows with each ControllerStarted of a log.
using ControllerEpoch = StrongId<struct ControllerEpochTag, std::uint64_t>;

// No call touches more keys than this; batch_parts.h splits what would.
inline constexpr std::size_t kMaxKeys = 500;
// Candidates of one extraction: each is a key, beside three that every extraction needs.
inline constexpr std::size_t kMaxCandidates = kMaxKeys - 3;
// Addresses that the index of one worker holds; what is beyond it stands in the rows only, and is counted.
inline constexpr std::size_t kOwnedLimit = 100'000;

struct Position {
  enum class Condition : std::uint8_t {
    kEmpty,      // never written, or its data is lost
    kResyncing,  // a resync is under way, or was broken off
    kReady,
  };
  Condition condition = Condition::kEmpty;
  LogId log_id{};  // all zero: EMPTY
  ControllerEpoch controller_epoch;
  Sequence applied_seq;  // the store shows the state after this entry; 0 while RESYNCING
  friend bool operator==(const Position&, const Position&) = default;
};

// Why a call was refused. Whatever is refused changes nothing.
enum class Verdict : std::uint8_t {
  kDone,
  kRepeat,        // a batch that is in the store already
  kStaleEpoch,    // a later controller has written: this one is over
  kBehind,        // the store lacks what `follows` names
  kAhead,         // the store holds more than what `follows` names
  kOtherLog,      // it belongs to another log
  kResyncing,     // a resync is under way: finish it, or begin it again
  kEmpty,         // it holds nothing: resync
  kMissingPart,   // an earlier part of this batch is not there: write it from its first part
  kNotResyncing,  // of a step: this resync is over, by its end or a later one, or the store lost some of it
};

// "done", "stale_epoch", ... as the scripts say them.
std::string_view VerdictName(Verdict verdict);

// ---- what follows from committed entries ----------------------------------------------------------------------------

struct Settled {
  std::string extraction_id;
  Sequence entry;  // that settled it; its record is forgotten once applied_seq is above
};

// The writes of the entries after `follows`, up to `upto`. One of more than kMaxKeys keys goes in parts: all but the
// last leave applied_seq where it is, and a part may be written again as long as the last is not.
struct Batch {
  LogId log_id{};
  ControllerEpoch controller_epoch;
  Sequence follows, upto;
  std::uint32_t part = 0;
  bool last_part = true;
  std::vector<Write> writes;
  std::vector<Settled> settled;  // in the last part only; entries in (follows, upto]
};

struct RowCounts {
  std::uint64_t refused = 0;    // address writes that would have ended another's extraction
  std::uint64_t unindexed = 0;  // addresses that their owner's index had no room for
  std::uint64_t strays = 0;     // rows whose owner was not the one that the write named: its index may still hold them
  RowCounts& operator+=(const RowCounts& other) {
    refused += other.refused;
    unindexed += other.unindexed;
    strays += other.strays;
    return *this;
  }
  friend bool operator==(const RowCounts&, const RowCounts&) = default;
};

struct ApplyResult {
  Verdict verdict = Verdict::kDone;  // kDone: all are in the store. Else: of the first that is not
  std::size_t finished = 0;          // batches from the front that are in the store now
  std::size_t repeats = 0;           // of them, those that were before
  RowCounts counts;
  Position position;
};

// ---- extraction -----------------------------------------------------------------------------------------------------

struct Candidate {
  std::string address;
  std::vector<std::string> proxies;  // those of it that are wanted: kept with the answer
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// An intent that is committed. It takes its turn: `follows` is what has been applied before it, and with the answer
// applied_seq is `sequence`. Other writes of the same entry go before it, as a part that is not the last of a batch
// (follows, sequence).
struct ExtractRequest {
  LogId log_id{};
  ControllerEpoch controller_epoch;
  std::string extraction_id;
  Sequence follows, sequence;
  std::vector<Candidate> candidates;  // 1 to kMaxCandidates, no address twice; taken in this order
  std::uint32_t need = 1;             // at least 1
  bool all_or_nothing = false;        // fewer than `need`: none
  LogTime extracted_until;
};

// Gives an intent up. Whichever is first holds: an answer that is there is told, else a late Extract finds it
// cancelled.
struct CancelRequest {
  LogId log_id{};
  ControllerEpoch controller_epoch;
  std::string extraction_id;
  Sequence follows, sequence;  // as in the intent
};

struct ExtractResult {
  Verdict verdict = Verdict::kDone;
  bool cancelled = false;        // kDone: by a Cancel, nothing was moved
  std::vector<Candidate> moved;  // kDone: what is EXTRACTED under the id, possibly nothing
  Position position;
};

// ---- both, in the order of the log
// -----------------------------------------------------------------------------------

using Call = std::variant<Batch, ExtractRequest, CancelRequest>;

struct RunResult {
  Verdict verdict = Verdict::kDone;  // kDone: all are in the store. Else: of the first that is not
  std::size_t finished = 0;          // calls from the front that are in the store now
  std::size_t repeats = 0;           // batches of them that were before
  RowCounts counts;
  std::vector<ExtractResult> answers;  // of the extractions and cancels among the finished, in order
  Position position;
};

// ---- resync ---------------------------------------------------------------------------------------------------------

struct ResyncStart {
  LogId log_id{};
  ControllerEpoch controller_epoch;
  // An operator's word: also where the store belongs to another log, or was written under a newer epoch.
  bool adopt = false;
};

struct ResyncResult {
  Verdict verdict = Verdict::kDone;
  Position position;
};

struct ClearProgress {
  Verdict verdict = Verdict::kDone;
  std::uint64_t removed = 0;  // keys, by this call
  bool finished = false;      // nothing of before is left
  Position position;
};

// ---- reading --------------------------------------------------------------------------------------------------------

enum class ScanKind : std::uint8_t { kAddresses, kProxies, kSessions, kAvailable, kOwners, kOwned };

struct ScanRequest {
  ScanKind kind = ScanKind::kAddresses;
  std::string worker{};  // of kOwned
  std::string cursor{};  // empty: from the start; else of the slice before
  std::size_t limit = kMaxKeys;
};

struct AvailableEntry {
  std::string address;
  LogTime usable_until;
  friend bool operator==(const AvailableEntry&, const AvailableEntry&) = default;
};

// What the kind asks for is filled. A row that stands throughout a scan is given at least once, in no order.
struct ScanSlice {
  std::vector<AddressRow> addresses;
  std::vector<ProxyRow> proxies;
  std::vector<SessionRow> sessions;  // ttl: what is left
  std::vector<AvailableEntry> available;
  std::vector<std::string> owners;      // workers that have an index
  std::vector<std::string> owned;       // addresses in the worker's index
  std::vector<std::string> unreadable;  // ids of rows that the store did not write like this
  std::string cursor;                   // empty: the end
};

class PoolStore {
 public:
  virtual ~PoolStore() = default;

  virtual absl::StatusOr<Position> ReadPosition(Duration patience) = 0;

  // In order, up to the first that is refused.
  virtual absl::StatusOr<ApplyResult> Apply(std::span<const Batch> batches, Duration patience) = 0;

  // The same id is answered the same, whatever the order and the other fields, until it is settled.
  virtual absl::StatusOr<ExtractResult> Extract(const ExtractRequest& request, Duration patience) = 0;

  // Where applied_seq has passed the intent and no answer is there (a resync took it), nothing was moved and nothing
  // can be. Requires: the intent is not settled.
  virtual absl::StatusOr<ExtractResult> Cancel(const CancelRequest& request, Duration patience) = 0;

  // Several of the three, in order, up to the first that is refused. A trouble is that of all: what was done before it
  // shows in the position, and answers are told again. A store that is far away sends them together.
  virtual absl::StatusOr<RunResult> Run(std::span<const Call> calls, Duration patience);

  // Takes the store over, whatever its applied_seq; the calls below belong to this resync. Extractions' answers go with
  // the rest: an intent that is open is then resolved by Cancel, and its addresses are written as before it.
  virtual absl::StatusOr<ResyncResult> BeginResync(const ResyncStart& start, Duration patience) = 0;
  // A bounded step. FailedPrecondition: no resync of this object, or rows are being written.
  virtual absl::StatusOr<ClearProgress> ClearSome(Duration patience) = 0;
  // FailedPrecondition: no resync of this object, or it is not cleared. May be repeated, after any trouble.
  virtual absl::StatusOr<ResyncResult> WriteResync(std::span<const Write> rows, Duration patience) = 0;
  // The rows written are the state after `applied_seq`. FailedPrecondition as above.
  virtual absl::StatusOr<ResyncResult> FinishResync(Sequence applied_seq, Duration patience) = 0;

  // `limit` is a measure, not a bound: a slice may hold somewhat more, and may be empty before the end.
  virtual absl::StatusOr<ScanSlice> Scan(const ScanRequest& request, Duration patience) = 0;
};

}  // namespace holdfast::pool
