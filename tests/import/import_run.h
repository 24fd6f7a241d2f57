// An import into memory, for tests: everything the sink was given, and what was not.
//
// Not thread-safe; one object a run.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/import/importer.h"

namespace holdfast::importer {

class RecordingSink final : public ImportSink {
 public:
  bool OnAccepted(Item item) override {
    items.push_back(std::move(item));
    return items.size() < stop_after;
  }
  void OnDuplicate(const Duplicate& duplicate) override { duplicates.push_back(duplicate); }
  void OnRejected(const Rejection& rejection) override { rejections.push_back(rejection); }

  std::vector<Item> items;
  std::vector<Duplicate> duplicates;
  std::vector<Rejection> rejections;
  std::size_t stop_after = SIZE_MAX;
};

// What the expectations of the shared lists call now: 2026-09-01T00:00:00Z.
inline constexpr LogTime kNow{std::chrono::seconds(1'788'220'800)};

inline ImportOptions TestOptions() {
  ImportOptions options;
  options.now = kNow;
  return options;
}

struct ImportRun {
  explicit ImportRun(const ImportOptions& options = TestOptions()) : importer(options, &sink) {}

  FileReport Take(std::string_view name, std::string_view bytes) {
    MemorySource source(bytes);
    return importer.Import(name, &source);
  }

  RecordingSink sink;
  Importer importer;
};

// The reasons of all rejections, in order.
std::vector<std::string> ReasonsOf(const RecordingSink& sink);

}  // namespace holdfast::importer
