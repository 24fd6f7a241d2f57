// The follower: a second state, fed with committed entries, where everything that only reads looks. Never uncommitted,
// never on the sequencer.
//
// Life cycle: made from a recovered state, started, fed by the committing thread, stopped. Thread: one of its own folds
// and runs the reads, in the order in which they came; Feed, Read from any. A read is short: what takes longer goes in
// slices (it asks for another Read at its end). After Stop no read runs.

#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "controller/sequencer.h"
#include "projections/controller_state.h"

namespace holdfast::server {

// Told of each event before it is folded. Called on the follower's thread; must not wait.
class FoldObserver {
 public:
  virtual ~FoldObserver() = default;
  virtual void Before(const ControllerState& state, const Event& event, const EntryPoint& entry) = 0;
};

class Follower {
 public:
  using ReadFunction = std::function<void(const ControllerState&)>;  // as_of: state.run().last()

  explicit Follower(std::unique_ptr<ControllerState> state);
  ~Follower();  // stops

  void Feed(std::vector<AppliedEntry> entries);
  // False: stopped, the function will not run.
  bool Read(ReadFunction read);
  void Stop();

  // One at a time; nullptr: none. Called in a read: it begins, or ends, with the state that the read sees.
  void SetObserver(FoldObserver* observer) { observer_ = observer; }

  // Called on the follower's thread after each committed batch, with its last sequence; for those who follow the log.
  void OnAdvance(std::function<void(Sequence)> listener);

 private:
  using Work = std::variant<std::vector<AppliedEntry>, ReadFunction>;
  void Run();
  void Fold(const std::vector<AppliedEntry>& entries);

  std::unique_ptr<ControllerState> state_;  // the thread's alone
  FoldObserver* observer_ = nullptr;        // the same
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Work> work_;                   // guarded by mutex_
  std::function<void(Sequence)> listener_;  // guarded by mutex_
  bool stopped_ = false;                    // guarded by mutex_
  std::thread thread_;
};

}  // namespace holdfast::server
