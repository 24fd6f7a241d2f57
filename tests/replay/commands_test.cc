// The commands that look at a log, on the story.

#include <gmock/gmock.h>
#include <google/protobuf/util/json_util.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "controlplane/v1/controlplane.pb.h"
#include "events/event_codec.h"
#include "events/memory_log.h"
#include "holdfast/log/v1/event.pb.h"
#include "replay/command_info.h"
#include "replay/command_log.h"
#include "replay/command_ownership.h"
#include "replay/command_snapshot.h"
#include "replay/command_state.h"
#include "replay/command_verify.h"
#include "tests/replay/log_maker.h"
#include "tests/replay/replay_fixture.h"

namespace holdfast {
namespace {

using nlohmann::json;
using replay::ReplayExit;
using ::testing::AllOf;
using testing::BlockList;
using testing::Caught;
using ::testing::HasSubstr;
using testing::ToldStory;

std::vector<json> Lines(const std::string& text) {
  std::vector<json> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(json::parse(line));
  return lines;
}

LogFilterSettings ByKinds(std::vector<std::string> kinds) {
  LogFilterSettings filter;
  filter.kinds = std::move(kinds);
  return filter;
}

LogFilterSettings ByWorker(std::string worker, std::vector<std::string> kinds = {}) {
  LogFilterSettings filter = ByKinds(std::move(kinds));
  filter.member_id = std::move(worker);
  return filter;
}

LogFilterSettings ByProxy(std::string proxy) {
  LogFilterSettings filter;
  filter.proxy_id = std::move(proxy);
  return filter;
}

LogFilterSettings BySession(std::string session) {
  LogFilterSettings filter;
  filter.session_id = std::move(session);
  return filter;
}

std::vector<json> LogLines(replay::LogCommand command) {
  Caught caught;
  command.json = true;
  EXPECT_EQ(replay::RunLog(ToldStory(), command, caught.environment), ReplayExit::kSound) << caught.errors.str();
  return Lines(caught.out.str());
}

// ---- info ----

TEST(InfoCommand, CountsWhatTheLogHolds) {
  Caught caught;

  const ReplayExit exit = replay::RunInfo(ToldStory(), {.torn_end = std::nullopt, .json = true}, caught.environment);

  ASSERT_EQ(exit, ReplayExit::kSound) << caught.errors.str();
  const json info = json::parse(caught.out.str());
  EXPECT_EQ(info["log_id"], "01080f161d242b323940474e555c636a");
  EXPECT_EQ(info["first_sequence"], 1);
  EXPECT_EQ(info["last_sequence"], ToldStory().Tip().value());
  EXPECT_EQ(info["entries"], ToldStory().Tip().value());
  EXPECT_EQ(info["blocks"], ToldStory().blocks.size());
  EXPECT_EQ(info["starts"].size(), 3u);
  EXPECT_EQ(info["boots"], json({"boot-1", "boot-2"}));
  EXPECT_EQ(info["inputs"]["start_controller"], 3);
  EXPECT_EQ(info["events"]["controller_started"], 3);
  std::uint64_t inputs = 0;
  for (const auto& [kind, count] : info["inputs"].items()) inputs += count.get<std::uint64_t>();
  EXPECT_EQ(inputs, ToldStory().Tip().value());
}

TEST(InfoCommand, TellsATornEndAndAnEmptyLog) {
  Caught torn, empty;

  replay::RunInfo(ToldStory(), {.torn_end = "17 bytes were torn", .json = false}, torn.environment);
  replay::RunInfo(BlockList(), {}, empty.environment);

  EXPECT_THAT(torn.out.str(), HasSubstr("17 bytes were torn"));
  EXPECT_EQ(empty.out.str(), "The log is empty.\n");
}

// ---- log ----

TEST(LogCommand, WritesEveryEntryOnceInOrder) {
  const std::vector<json> lines = LogLines({});

  ASSERT_EQ(lines.size(), ToldStory().Tip().value());
  for (std::size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(lines[i]["sequence"], i + 1);
  EXPECT_EQ(lines[0]["kind"], "start_controller");
  EXPECT_EQ(lines[0]["principal"], "controller");
  EXPECT_TRUE(lines[0]["input"].contains("start_controller"));
  EXPECT_TRUE(lines[0]["events"][0].contains("log_created"));
}

TEST(LogCommand, BeginsAndEndsWhereItIsAskedTo) {
  const std::vector<json> lines = LogLines({.from = Sequence(7), .to = Sequence(9)});

  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines.front()["sequence"], 7);
  EXPECT_EQ(lines.back()["sequence"], 9);
}

TEST(LogCommand, SelectsByKindOfInput) {
  const std::vector<json> lines = LogLines({.filter = ByKinds({"apply_routings", "calls_shed"})});

  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0]["kind"], "apply_routings");
  EXPECT_EQ(lines[3]["kind"], "calls_shed");
}

TEST(LogCommand, SelectsByWorkerAlsoWhereEventsCarryOnlyItsKey) {
  const std::vector<json> lines = LogLines({.filter = ByWorker("gw-3")});

  std::set<std::string> kinds;
  for (const json& line : lines) kinds.insert(line["kind"].get<std::string>());
  EXPECT_TRUE(kinds.contains("register_worker"));
  EXPECT_TRUE(kinds.contains("issue_snapshot")) << "names the worker by its key alone";
  EXPECT_TRUE(kinds.contains("place"));
  EXPECT_LT(lines.size(), ToldStory().Tip().value() / 4);
}

TEST(LogCommand, SelectsByProxyFromItsImportToItsEnd) {
  const std::vector<json> lines = LogLines({.filter = ByProxy("brief1")});

  std::set<std::string> events;
  for (const json& line : lines) {
    for (const json& event : line["events"]) events.insert(event.begin().key());
  }
  for (const char* name : {"proxy_added", "ownership_granted", "snapshot_issued", "proxy_unusable", "proxy_removed"}) {
    EXPECT_TRUE(events.contains(name)) << name;
  }
}

TEST(LogCommand, SelectsBySession) {
  const std::vector<json> first = LogLines({.filter = BySession("session-1")});
  const std::vector<json> none = LogLines({.filter = BySession("session-none")});

  EXPECT_GT(first.size(), 10u);
  EXPECT_TRUE(none.empty());
}

TEST(LogCommand, AKindThatDoesNotExistIsTold) {
  Caught caught;

  const ReplayExit exit = replay::RunLog(ToldStory(), {.filter = ByKinds({"guess"})}, caught.environment);

  EXPECT_EQ(exit, ReplayExit::kCouldNotRun);
  EXPECT_THAT(caught.errors.str(), HasSubstr("guess"));
}

TEST(LogCommand, FollowsWhatIsWrittenMeanwhile) {
  MemoryLog log;
  testing::LogMaker maker(log);
  maker.Start();
  Caught caught;
  int waits = 0;
  caught.environment.wait = [&](Duration) {
    if (++waits > 2) return false;
    maker.Send(maker.Import("late" + std::to_string(waits), "8.8." + std::to_string(waits), 1));
    return true;
  };

  const ReplayExit exit =
      replay::RunLog(log, {.from = Sequence(1), .to = {}, .json = true, .follow = true}, caught.environment);

  EXPECT_EQ(exit, ReplayExit::kSound);
  EXPECT_EQ(Lines(caught.out.str()).size(), 3u);
}

TEST(LogCommand, ReadableLinesNameSequenceTimePrincipalAndKind) {
  Caught caught;

  replay::RunLog(ToldStory(), {.from = Sequence(1), .to = Sequence(1)}, caught.environment);

  EXPECT_THAT(caught.out.str(), AllOf(HasSubstr("1 2030-03-17T17:46:40.000000Z controller start_controller:")));
}

// ---- state ----

json StateAt(std::optional<replay::StatePoint> at) {
  Caught caught;
  EXPECT_EQ(replay::RunState(ToldStory(), {.at = at, .json = true}, caught.environment), ReplayExit::kSound)
      << caught.errors.str();
  return json::parse(caught.out.str());
}

TEST(StateCommand, ShowsTheEndOfTheLogAsTheWriterHadIt) {
  MemoryLog log;
  testing::LogMaker maker(log);
  testing::WriteStory(maker);

  const json state = StateAt(std::nullopt);

  EXPECT_EQ(state["sequence"], ToldStory().Tip().value());
  EXPECT_EQ(state["sessions"].size(), maker.state().sessions().workers().size());
  EXPECT_EQ(state["proxies"].size(), maker.state().pool().proxies().size());
  EXPECT_EQ(state["addresses"].size(), maker.state().pool().addresses().size());
  EXPECT_EQ(state["routings"].size(), 3u);
}

TEST(StateCommand, ShowsWhatWasSoAfterAnEntryAndNothingLater) {
  const Sequence granted = FirstWith(ToldStory(), "ownership_granted");

  const json before = StateAt(Sequence(granted.value() - 1));
  const json after = StateAt(granted);

  const auto held = [](const json& state) {
    return std::count_if(state["addresses"].begin(), state["addresses"].end(),
                         [](const json& address) { return address["ownership_state"] == "granted"; });
  };
  EXPECT_EQ(held(before), 0);
  EXPECT_GT(held(after), 0);
  EXPECT_EQ(after["sequence"], granted.value());
}

TEST(StateCommand, ATimeMeansTheLastEntryThatIsNotLater) {
  const std::optional<replay::StatePoint> time = replay::ParseStatePoint("2030-03-17T17:46:42Z");
  ASSERT_TRUE(time.has_value());

  const json state = StateAt(*time);

  EXPECT_LE(state["at"].get<std::string>(), "2030-03-17T17:46:42.000000Z");
  EXPECT_GT(StateAt(Sequence(state["sequence"].get<std::uint64_t>() + 1))["at"].get<std::string>(),
            "2030-03-17T17:46:42.000000Z");
}

TEST(StateCommand, APointOutsideTheLogIsToldAndNotShown) {
  Caught later, earlier;

  const ReplayExit beyond =
      replay::RunState(ToldStory(), {.at = Next(ToldStory().Tip()), .json = true}, later.environment);
  const ReplayExit before = replay::RunState(ToldStory(), {.at = Sequence(0), .json = true}, earlier.environment);

  EXPECT_EQ(beyond, ReplayExit::kCouldNotRun);
  EXPECT_EQ(before, ReplayExit::kCouldNotRun);
  EXPECT_THAT(later.errors.str(), HasSubstr("the log ends with sequence"));
}

TEST(StateCommand, TablesNameWhatIsThere) {
  Caught caught;

  replay::RunState(ToldStory(), {}, caught.environment);

  EXPECT_THAT(caught.out.str(), AllOf(HasSubstr("Sessions"), HasSubstr("gw-4"), HasSubstr("alpha1"),
                                      HasSubstr("8.8.1.2"), HasSubstr("to-shop.example")));
}

// ---- snapshot ----

TEST(SnapshotCommand, EveryUpdateThatWasEverIssuedHasTheChecksumOfItsContent) {
  std::map<std::uint32_t, std::string> names;
  std::size_t updates = 0;
  for (const json& line : LogLines({.filter = ByKinds({"register_worker", "issue_snapshot"})})) {
    for (const json& event : line["events"]) {
      if (event.contains("session_opened")) {
        names[event["session_opened"]["worker"]] = event["session_opened"]["workerId"];
      }
      if (!event.contains("snapshot_issued") || ++updates % 7 != 1) continue;
      const json& issued = event["snapshot_issued"];
      Caught caught;

      const ReplayExit exit =
          replay::RunSnapshot(ToldStory(),
                              {.worker_id = names[issued["worker"]],
                               .version = Version(std::stoull(issued["version"].get<std::string>())),
                               .json = true},
                              caught.environment);

      ASSERT_EQ(exit, ReplayExit::kSound) << caught.errors.str();
      controlplane::v1::WorkerSnapshot snapshot;
      ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(caught.out.str(), &snapshot).ok());
      EXPECT_EQ(std::to_string(snapshot.version()), issued["version"]);
      EXPECT_EQ(json::parse(caught.out.str())["checksum"], issued["checksum"]);
    }
  }
  EXPECT_GT(updates, 40u);
}

TEST(SnapshotCommand, ProxiesStandInTheOrderOfTheirIds) {
  const auto lines = LogLines({.filter = ByWorker("gw-1", {"issue_snapshot"})});
  const std::string version = lines[3]["events"][0]["snapshot_issued"]["version"];
  Caught caught;

  replay::RunSnapshot(ToldStory(), {.worker_id = "gw-1", .version = Version(std::stoull(version)), .json = true},
                      caught.environment);

  controlplane::v1::WorkerSnapshot snapshot;
  ASSERT_TRUE(google::protobuf::util::JsonStringToMessage(caught.out.str(), &snapshot).ok());
  ASSERT_GT(snapshot.proxies_size(), 3);
  for (int i = 1; i < snapshot.proxies_size(); ++i) {
    EXPECT_LT(snapshot.proxies(i - 1).proxy_id(), snapshot.proxies(i).proxy_id());
  }
}

TEST(SnapshotCommand, AVersionThatWasNeverIssuedIsToldWithThoseThatWere) {
  Caught caught;

  const ReplayExit exit =
      replay::RunSnapshot(ToldStory(), {.worker_id = "gw-1", .version = Version(3)}, caught.environment);

  EXPECT_EQ(exit, ReplayExit::kCouldNotRun);
  EXPECT_THAT(caught.errors.str(), HasSubstr("which was issued some from"));
}

TEST(SnapshotCommand, AChecksumThatIsNotThatOfTheContentIsFoundWanting) {
  BlockList forged = ToldStory();
  std::uint64_t version = 0;
  Forge(forged, [&](DecodedBlock& block) {
    for (StoredEntry& entry : block.entries) {
      std::vector<Event> events;
      ASSERT_TRUE(DecodeEvents(entry.events, events).ok());
      auto* issued = events.empty() ? nullptr : std::get_if<SnapshotIssued>(&events.back());
      if (issued == nullptr || version != 0 || issued->upserted.empty()) continue;
      version = issued->version.value();
      issued->checksum[0] ^= 1;
      entry.events.clear();
      EncodeEvents(events, entry.events);
    }
  });
  Caught caught;

  const ReplayExit exit =
      replay::RunSnapshot(forged, {.worker_id = "gw-1", .version = Version(version)}, caught.environment);

  EXPECT_EQ(exit, ReplayExit::kFoundWanting) << caught.errors.str();
  EXPECT_THAT(caught.out.str(), HasSubstr("WRONG"));
}

// ---- ownership ----

json Periods(const replay::OwnershipCommand& command) {
  Caught caught;
  EXPECT_EQ(replay::RunOwnership(ToldStory(), command, caught.environment), ReplayExit::kSound) << caught.errors.str();
  return json::parse(caught.out.str())["periods"];
}

TEST(OwnershipCommand, TellsWhoHeldAProxyOneAfterTheOther) {
  const json periods = Periods({.proxy_id = "alpha2", .worker_id = "", .json = true});

  ASSERT_GE(periods.size(), 2u);
  for (std::size_t i = 0; i < periods.size(); ++i) {
    EXPECT_EQ(periods[i]["proxy_id"], "alpha2");
    if (i > 0) {
      EXPECT_GE(periods[i]["granted_sequence"], periods[i - 1]["ended_sequence"]);
    }
  }
  // The first one ended by a drain, and the three entries that prove it come one after the other.
  EXPECT_EQ(periods[0]["end_reason"], "drained");
  EXPECT_LT(periods[0]["issue_sequence"], periods[0]["ack_sequence"]);
  EXPECT_LT(periods[0]["ack_sequence"], periods[0]["report_sequence"]);
  EXPECT_EQ(periods[0]["report_sequence"], periods[0]["ended_sequence"]);
}

TEST(OwnershipCommand, TellsWhatAWorkerHeldAndWhyItEnded) {
  const json periods = Periods({.proxy_id = "", .worker_id = "gw-3", .json = true});

  ASSERT_FALSE(periods.empty());
  for (const json& period : periods) {
    EXPECT_EQ(period["worker_id"], "gw-3");
    EXPECT_EQ(period["revoke_reason"], "session_drain");
    EXPECT_EQ(period["lapse_cause"], "revoked");
  }
}

TEST(OwnershipCommand, HoldsWhatTheRowsBesideTheBlocksHoldAndWhatIsStillOpen) {
  std::size_t ended = 0, open = 0;
  std::size_t of_clients = 0;
  for (const json& period : Periods({.proxy_id = "", .worker_id = "", .json = true})) {  // of every holder
    (period["ended_at"].is_null() ? open : ended) += 1;
    of_clients += period.contains("client_id") ? 1 : 0;
  }
  EXPECT_GT(of_clients, 0u);
  EXPECT_EQ(ended * 2, ToldStory().periods.size());
  EXPECT_GT(open + ended, ended);
}

TEST(OwnershipCommand, WhatTheLogNeverKnewIsTold) {
  Caught caught;

  const ReplayExit exit = replay::RunOwnership(ToldStory(), {.proxy_id = "nothing"}, caught.environment);

  EXPECT_EQ(exit, ReplayExit::kCouldNotRun);
  EXPECT_THAT(caught.errors.str(), HasSubstr("never knew proxy nothing"));
}

// ---- what a newer version wrote (and what damage there is), with every command ----

// Every command on a log; their exits and what they say.
std::vector<std::pair<ReplayExit, std::string>> RunAll(const EventLog& log) {
  std::vector<std::pair<ReplayExit, std::string>> results;
  const auto run = [&](auto command) {
    Caught caught;
    const ReplayExit exit = command(caught.environment);
    results.emplace_back(exit, caught.errors.str() + caught.out.str());
  };
  run([&](const auto& e) { return replay::RunInfo(log, {}, e); });
  run([&](const auto& e) { return replay::RunLog(log, {}, e); });
  run([&](const auto& e) { return replay::RunLog(log, {.from = Sequence(5)}, e); });
  run([&](const auto& e) { return replay::RunVerify(log, {}, e); });
  run([&](const auto& e) { return replay::RunState(log, {}, e); });
  run([&](const auto& e) { return replay::RunSnapshot(log, {.worker_id = "gw-1", .version = Version(1)}, e); });
  run([&](const auto& e) { return replay::RunOwnership(log, {.proxy_id = "alpha1"}, e); });
  return results;
}

TEST(EveryCommand, StopsAtAnEventOfANewerVersionWithSequenceNumberAndWriter) {
  BlockList log = ToldStory();
  const Sequence sequence(20);
  Forge(log, [&](DecodedBlock& block) {
    for (StoredEntry& entry : block.entries) {
      if (entry.sequence != sequence) continue;
      log::v1::Events events;
      ASSERT_TRUE(events.ParseFromString(entry.events));
      log::v1::Event& event = *events.add_events();
      event.GetReflection()->MutableUnknownFields(&event)->AddLengthDelimited(777, "from the future");
      entry.events = events.SerializeAsString();
    }
  });

  for (const auto& [exit, said] : RunAll(log)) {
    EXPECT_EQ(exit, ReplayExit::kCouldNotRun) << said;
    EXPECT_THAT(said, AllOf(HasSubstr("sequence 20"), HasSubstr("777"), HasSubstr("0.1.0-test")));
  }
}

TEST(EveryCommand, SaysWhereALogIsDamaged) {
  BlockList log = ToldStory();
  log.blocks[9].block[log.blocks[9].block.size() / 2] ^= 4;
  const std::string sequence = std::to_string(log.blocks[9].first.value());

  for (const auto& [exit, said] : RunAll(log)) {
    EXPECT_EQ(exit, ReplayExit::kFoundWanting) << said;
    EXPECT_THAT(said, HasSubstr(sequence));
  }
}

TEST(VerifyCommand, SaysAsJsonWhatItFound) {
  BlockList log = ToldStory();
  Forge(log, [&](DecodedBlock& block) {
    for (StoredEntry& entry : block.entries) {
      std::vector<Event> events;
      if (entry.sequence != Sequence(2) || !DecodeEvents(entry.events, events).ok()) continue;
      std::get<RoutingsApplied>(events[0]).routings[0].ports = {80};
      entry.events.clear();
      EncodeEvents(events, entry.events);
    }
  });
  Caught sound, wanting;

  const ReplayExit good = replay::RunVerify(ToldStory(), {.options = {}, .json = true}, sound.environment);
  const ReplayExit bad = replay::RunVerify(log, {.options = {}, .json = true}, wanting.environment);

  EXPECT_EQ(good, ReplayExit::kSound);
  EXPECT_TRUE(json::parse(sound.out.str())["sound"].get<bool>());
  EXPECT_EQ(bad, ReplayExit::kFoundWanting);
  const json found = json::parse(wanting.out.str())["finding"];
  EXPECT_EQ(found["kind"], "decision");
  EXPECT_EQ(found["first_sequence"], 2);
  EXPECT_EQ(found["differences"][0]["path"], "events[0].routings_applied.routings[0].ports[0]");
  EXPECT_EQ(found["differences"][0]["logged"], "80");
  EXPECT_EQ(found["differences"][0]["decided"], "443");
}

}  // namespace
}  // namespace holdfast
