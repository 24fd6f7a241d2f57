// A story that chance writes from a seed: workers that register, ack, refuse, report, vanish and come back as the same
// or another process, imports and removals, ends of proxies, restarts on the same and on another boot.
//
// The same seed gives the same story on every machine. Thread: a plain object of one test.

#pragma once

#include <string>
#include <vector>

#include "tests/controller/rule_fixture.h"
#include "tests/events/seeded_random.h"

namespace holdfast::testing {

class RandomStory {
 public:
  explicit RandomStory(std::uint64_t seed);

  // One thing happens, and then all that is due.
  void Step();
  Story& story() { return story_; }
  // What does not hold now; empty: all does.
  std::string Broken() const;

 private:
  void WorkerStep(Worker& worker);
  void AnswerStep(Worker& worker);
  void PoolStep();
  void TimeStep();
  admin::v1::ProxySpec RandomItem();

  SeededRandom random_;
  Story story_;
  std::vector<Worker> workers_;
};

}  // namespace holdfast::testing
