// A story that chance writes (random_story.h) with clients in it: they ask, are answered or not, give back, and the
// store is lost, foreign, adopted.
//
// The same seed gives the same story on every machine. Thread: a plain object of one test.

#pragma once

#include <string>
#include <vector>

#include "tests/controller/client_fixture.h"
#include "tests/controller/random_story.h"

namespace holdfast::testing {

class RandomClients {
 public:
  explicit RandomClients(std::uint64_t seed);

  void Step();
  Story& story() { return random_story_.story(); }
  std::string Broken() const { return random_story_.Broken(); }

 private:
  void ClientStep();
  void StoreStep();
  void AskStep();
  void AnswerStep();
  void ReleaseStep();
  // Of the extractions in this phase, any; empty: there is none.
  std::string Any(bool open);

  RandomStory random_story_;
  SeededRandom random_;
};

}  // namespace holdfast::testing
