// A controller without server and disk: a sequencer over no log, driven by hand with a clock that only the benchmark
// moves.
//
// Thread: one. For benchmarks; what it measures is what the sequencer's thread does: decide, apply, encode, hash,
// collect.

#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "controller/sequencer.h"

namespace holdfast::bench {

struct Member {
  std::string worker_id;
  std::string session_id;
  std::uint64_t epoch = 0;
  std::uint64_t version = 0;  // accepted
  std::uint64_t report_sequence = 0;
  std::vector<std::string> proxies;  // that it was shown
  bool lost = false;                 // takes and answers nothing any more
};

// As they come, but what is imported counts as available: what is measured has no checkers.
inline Settings Trusting() {
  Settings settings;
  settings.trust_unchecked = true;
  return settings;
}

class Rig {
 public:
  explicit Rig(const Settings& settings = Trusting());

  // Decides one input; the block stays open until Commit.
  void Submit(const log::v1::Input& input);
  // Lets what is due happen.
  void Step(Duration passed = Duration(0));
  // Closes the open block as if it were durable, and follows what it did (updates are acknowledged).
  void Commit();

  // Hears every event that Commit closes a block over.
  using Observer = std::function<void(const Event&, const EntryPoint&)>;
  void Observe(Observer observer) { observer_ = std::move(observer); }

  // Blocks that Commit closes are appended there from now on, those of the past first. Requires: an empty log.
  void KeepBlocksIn(EventLog& log);
  // Closes the open block for somebody else to commit. Its effects are not carried out.
  SealedBlock TakeBlock();

  // `count` made-up proxies on as many addresses, from `first` on. With a secret_ref only capable workers are given
  // them.
  void Import(std::size_t first, std::size_t count, Duration lifetime, bool secret = false);
  log::v1::Input ImportInput(std::size_t first, std::size_t count, Duration lifetime, bool secret) const;
  Member& Join(const std::string& worker_id, std::uint32_t max_proxies);

  // A report of `counters` counters that differ from the last one in half of them.
  log::v1::Input Report(Member& member, std::size_t counters);

  std::vector<std::unique_ptr<Member>>& members() { return members_; }
  Sequencer& sequencer() { return *sequencer_; }
  LogTime now() const { return now_; }

 private:
  void Carry(const Effect& effect);
  void Append(const SealedBlock& block);

  std::unique_ptr<Sequencer> sequencer_;
  LogTime now_;
  EventLog* log_ = nullptr;
  Observer observer_;
  std::vector<SealedBlock> past_;  // of the start, until a log takes it
  std::uint64_t next_stream_ = 1;
  std::uint64_t next_session_ = 1;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace holdfast::bench
