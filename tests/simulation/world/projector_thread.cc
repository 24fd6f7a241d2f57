#include "tests/simulation/world/projector_thread.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "events/block_view.h"
#include "events/event_codec.h"

namespace holdfast::simulation {

using log::v1::Input;

ProjectorThread::ProjectorThread(World& world, StoreServer& server, Committed& committed, const Disk& disk,
                                 Outlet outlet)
    : world_(world),
      committed_(committed),
      disk_(disk),
      outlet_(std::move(outlet)),
      connection_(world, server, [this](Micros when) { return WaitUntil(when); }),
      feed_(committed.state(), {[this] { Work(); },
                                [this](const std::string& extraction_id) {
                                  Unanswered(extraction_id, "the store is not ready");
                                  Answered(extraction_id, {}, true);
                                }}),
      projector_({connection_, *this, *this, outlet_.now,
                  [this](Sequence after, Sequence upto) { return ReadTail(after, upto); }}),
      fiber_([this] { Run(); }) {
  committed_.Attach(&feed_);
}

ProjectorThread::~ProjectorThread() {
  committed_.Attach(nullptr);
  *alive_ = false;
  gone_ = true;
  while (begun_ && !fiber_.done()) fiber_.Resume();
}

void ProjectorThread::Begin() {
  begun_ = true;
  ResumeAt(world_.time.now() + world_.Between(10, 20 * kMillisecond));
}

void ProjectorThread::Run() {
  while (!gone_) {
    const Duration wants = projector_.Step();
    if (!gone_) Sleep(wants);
  }
}

// As a thread that waits on a condition: it is woken by work, wherever it is in what it does.
void ProjectorThread::Sleep(Duration length) {
  if (length <= Duration(0) || std::exchange(work_, false)) {
    WaitUntil(world_.time.now() + world_.Between(1, 300));
    return;
  }
  sleeping_ = true;
  WaitUntil(world_.time.now() + length.count());
  sleeping_ = false;
  work_ = false;
}

void ProjectorThread::Work() {
  if (std::exchange(work_, true)) return;
  if (sleeping_) ResumeAt(world_.time.now() + world_.Between(5, 500));
}

bool ProjectorThread::WaitUntil(Micros when) {
  if (gone_) return false;
  ResumeAt(when);
  fiber_.Yield();
  return !gone_;
}

// The latest that was asked for counts.
void ProjectorThread::ResumeAt(Micros when) {
  world_.time.At(when, [this, alive = alive_, serial = ++resume_serial_] {
    if (!*alive || serial != resume_serial_) return;
    const Micros paused = outlet_.paused_until();
    if (paused > world_.time.now()) return ResumeAt(paused);
    ++resume_serial_;
    fiber_.Resume();
  });
}

bool ProjectorThread::Read(const Look& look) {
  if (!WaitUntil(world_.time.now() + world_.Between(1, 200))) return false;
  look(committed_.state(), feed_);
  return true;
}

// ---- reports -------------------------------------------------------------------------------------------------------

void ProjectorThread::Submit(const Input& input) {
  if (!gone_) outlet_.submit(input);
}

void ProjectorThread::StoreSeen(const std::string& log_id, Sequence applied, bool incomplete) {
  Input input;
  input.mutable_pool_store_seen()->set_log_id(log_id);
  input.mutable_pool_store_seen()->set_applied_sequence(applied.value());
  input.mutable_pool_store_seen()->set_incomplete(incomplete);
  Submit(input);
}

void ProjectorThread::StoreWritten(Sequence applied, std::uint64_t proxies) {
  Input input;
  input.mutable_pool_store_written()->set_applied_sequence(applied.value());
  input.mutable_pool_store_written()->set_proxies(proxies);
  Submit(input);
}

void ProjectorThread::Answered(const std::string& extraction_id, const std::vector<AddressKey>& moved, bool cancelled) {
  Input input;
  input.mutable_extraction_answered()->set_extraction_id(extraction_id);
  input.mutable_extraction_answered()->set_cancelled(cancelled);
  for (const AddressKey address : moved) input.mutable_extraction_answered()->add_addresses(address.value());
  Submit(input);
}

void ProjectorThread::Unanswered(const std::string& extraction_id, const std::string& cause) {
  Input input;
  input.mutable_extraction_unanswered()->set_extraction_id(extraction_id);
  input.mutable_extraction_unanswered()->set_cause(cause);
  Submit(input);
}

// ---- the log -------------------------------------------------------------------------------------------------------

absl::StatusOr<pool::Changes> ProjectorThread::ReadTail(Sequence after, Sequence upto) const {
  absl::StatusOr<std::unique_ptr<BlockReader>> reader = disk_.log().NewReader(Next(after));
  if (!reader.ok()) return reader.status();
  pool::Changes changes;
  BlockView view;
  std::vector<Event> events;
  for (Sequence last = after; last < upto;) {
    absl::StatusOr<std::optional<StoredBlock>> stored = (*reader)->Next();
    if (!stored.ok()) return stored.status();
    if (!stored->has_value()) return absl::DataLossError("the log ends before what is asked for");
    if (absl::Status status = view.Parse((*stored)->block, (*stored)->bulk); !status.ok()) return status;
    for (const EntryView& entry : view.entries()) {
      if (entry.sequence <= after || entry.sequence > upto) continue;
      events.clear();
      if (absl::Status status = DecodeEvents(entry.events, events); !status.ok()) return status;
      for (const Event& event : events) changes.Note(event, entry.sequence, nullptr);
    }
    last = view.last();
  }
  return changes;
}

}  // namespace holdfast::simulation
