#include "tests/replay/replay_fixture.h"

#include <gtest/gtest.h>

#include "events/block_codec.h"
#include "events/event_codec.h"
#include "events/memory_log.h"
#include "tests/replay/log_maker.h"

namespace holdfast::testing {

const BlockList& ToldStory() {
  static const BlockList* const kStory = [] {
    MemoryLog log;
    LogMaker maker(log);
    WriteStory(maker);
    return new BlockList(log);
  }();
  return *kStory;
}

const BlockList& ShortStory() {
  static const BlockList* const kStory = [] {
    MemoryLog log;
    LogMaker maker(log);
    maker.Start();
    maker.Send(maker.Import("alpha", "8.8.1", 6));
    maker.Join("gw-1");
    maker.Live({"gw-1"}, 3);
    maker.SendTogether({maker.Outcomes("gw-1", 1), maker.RuntimeReport("gw-1"), maker.Remove({"alpha2"})});
    return new BlockList(log);
  }();
  return *kStory;
}

replay::VerifyReport Verify(const EventLog& log, int jobs, Sequence from) {
  Caught caught;
  const absl::StatusOr<replay::VerifyReport> report =
      replay::VerifyLog(log, {.from = from, .jobs = jobs}, caught.environment);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.ok() ? *report : replay::VerifyReport();
}

Sequence FirstWith(const BlockList& log, const std::string& event_name) {
  for (const StoredBlock& stored : log.blocks) {
    const absl::StatusOr<DecodedBlock> block = DecodeBlock(stored);
    if (!block.ok()) continue;
    for (const StoredEntry& entry : block->entries) {
      std::vector<Event> events;
      if (!DecodeEvents(entry.events, events).ok()) continue;
      for (const Event& event : events) {
        if (EventName(event) == event_name) return entry.sequence;
      }
    }
  }
  ADD_FAILURE() << "no " << event_name << " in the log";
  return Sequence();
}

}  // namespace holdfast::testing
