// The pool store at rest: row by row what the log says, and nothing else.
//
// Asked in the quiet phase, again and again until it says yes or the bound is over. Thread: one. What the store shows
// comes as plain values; what it should show is reckoned here from the models.

#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "tests/simulation/checkers/check_model.h"
#include "tests/simulation/checkers/extraction_model.h"
#include "tests/simulation/checkers/log_model.h"

namespace holdfast::simulation {

struct ShownAddress {
  std::string state, owner;
  std::uint64_t epoch = 0;
  std::int64_t available_until = 0;  // 0: it is not
  std::string extraction;
  std::int64_t extracted_until = 0;
  friend bool operator==(const ShownAddress&, const ShownAddress&) = default;
};

struct ShownPoolProxy {
  std::string address, scheme, health;
  std::int64_t usable_until = 0;
  friend bool operator==(const ShownPoolProxy&, const ShownPoolProxy&) = default;
};

struct ShownSession {
  std::string session, state, attached;
  std::string epoch;
  friend bool operator==(const ShownSession&, const ShownSession&) = default;
};

// Each by its id.
struct ShownStore {
  std::map<std::string, ShownAddress> addresses;
  std::map<std::string, ShownPoolProxy> proxies;
  std::map<std::string, ShownSession> sessions;
  std::map<std::string, std::set<std::string>> owned;
};

class StoreChecker {
 public:
  StoreChecker(const LogModel& model, const CheckModel& checks, const ExtractionModel& extractions)
      : model_(model), checks_(checks), extractions_(extractions) {}

  // Empty: all is as it should be; else the first thing that is not.
  std::string Missing(const ShownStore& shown) const;

 private:
  ShownStore Expected() const;
  ShownAddress ExpectedOf(const ModelAddress& address) const;

  const LogModel& model_;
  const CheckModel& checks_;
  const ExtractionModel& extractions_;
};

}  // namespace holdfast::simulation
