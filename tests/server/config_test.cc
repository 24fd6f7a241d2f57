// The configuration: what is taken, what is refused and with which place, and that one text and one value are the same
// thing.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "events/vocabulary.h"
#include "server/config_field.h"
#include "server/config_load.h"
#include "server/config_text.h"
#include "tests/server/config_cases.h"

namespace holdfast::server {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string RefusedAssignment(std::string_view assignment) {
  Config config;
  const absl::Status status = SetConfigValue(assignment, config);
  EXPECT_FALSE(status.ok()) << assignment;
  EXPECT_EQ(config, Config{});
  return std::string(status.message());
}

TEST(Config, AFileWithCommentsIsTakenAndTheRestKeepsItsDefaults) {
  Config config;

  const absl::Status status = LoadConfigText(R"({
    // how long a worker may be silent
    "control_plane": {"session_ttl": "1m30s", "max_batch": 500, "command_queue_share": 0.5},
    /* its own log */ "data_dir": "elsewhere",
    "health": {"trust_unchecked": false},
    "log": {"min_free": "1GiB"}
  })",
                                             "daemon.json", config);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(config.settings.session_ttl, seconds(90));
  EXPECT_EQ(config.settings.max_batch, 500u);
  EXPECT_DOUBLE_EQ(config.command_queue_share, 0.5);
  EXPECT_EQ(config.data_dir, "elsewhere");
  EXPECT_FALSE(config.settings.trust_unchecked);
  EXPECT_EQ(config.min_free, 1ull << 30);
  EXPECT_EQ(config.settings.runtime_ttl, seconds(3));
}

TEST(Config, SyntaxErrorsNameFileLineAndColumn) {
  EXPECT_THAT(Refusal("{\n  \"listen\": \"127.0.0.1:1\"\n  \"data_dir\": \"x\"\n}"),
              HasSubstr("daemon.json, line 3, column "));
  EXPECT_THAT(Refusal("{\"listen\": 'x'}"), HasSubstr("line 1, column 12"));
  EXPECT_THAT(Refusal(""), HasSubstr("line 1, column 1"));
  EXPECT_THAT(Refusal("[]"), HasSubstr("one JSON object"));
}

TEST(Config, UnknownKeysAreRefusedWithTheNearestKnownOne) {
  EXPECT_THAT(Refusal(R"({"control_plane": {"sesion_ttl": "1s"}})"),
              AllOf(HasSubstr("control_plane.sesion_ttl: there is no such setting"),
                    HasSubstr("did you mean control_plane.session_ttl?")));
  EXPECT_THAT(Refusal(R"({"session_ttl": "1s"})"), HasSubstr("did you mean control_plane.session_ttl?"));
  EXPECT_THAT(Refusal(R"({"zzz": 1})"), HasSubstr("zzz: there is no such setting; --check-config"));
  EXPECT_THAT(Refusal(R"({"control_plane": 3})"), HasSubstr("control_plane: it is a group of settings"));
}

TEST(Config, AKeyThatStandsTwiceIsRefused) {
  EXPECT_THAT(Refusal(R"({"log": {"min_free": "1GiB", "min_free": "2GiB"}})"), HasSubstr("\"min_free\" stands twice"));
  Config config;
  EXPECT_TRUE(
      LoadConfigText(R"({"health": {"trust_unchecked": true}, "import": {"allow_special": true}})", "f", config).ok());
}

TEST(Config, WrongTypesAndRangesAreRefusedWithWhatIsAllowed) {
  EXPECT_THAT(Refusal(R"({"control_plane": {"session_ttl": 15}})"),
              AllOf(HasSubstr("control_plane.session_ttl: 15 is not allowed"),
                    HasSubstr("a duration from 300ms to 1h, as text")));
  EXPECT_THAT(Refusal(R"({"control_plane": {"session_ttl": "299ms"}})"), HasSubstr("\"299ms\" is not allowed"));
  EXPECT_THAT(Refusal(R"({"control_plane": {"max_message": "1GiB"}})"), HasSubstr("a size from 64KiB to 64MiB"));
  EXPECT_THAT(Refusal(R"({"control_plane": {"max_batch": -1}})"), HasSubstr("a whole number from 1 to 10000"));
  EXPECT_THAT(Refusal(R"({"control_plane": {"max_batch": 1.5}})"), HasSubstr("a whole number"));
  EXPECT_THAT(Refusal(R"({"control_plane": {"command_queue_share": 0}})"), HasSubstr("above 0 and at most 1"));
  EXPECT_THAT(Refusal(R"({"health": {"trust_unchecked": "yes"}})"), HasSubstr("true or false"));
  EXPECT_THAT(Refusal(R"({"logging": {"level": "loud"}})"), HasSubstr("\"warning\""));
  EXPECT_THAT(Refusal(R"({"data_dir": ""})"), HasSubstr("not empty"));
}

TEST(Config, AssignmentsGoThroughTheSameParser) {
  Config config;

  EXPECT_TRUE(SetConfigValue("control_plane.session_ttl=2s", config).ok());
  EXPECT_TRUE(SetConfigValue("control_plane.max_batch=7", config).ok());
  EXPECT_TRUE(SetConfigValue("health.trust_unchecked=false", config).ok());
  EXPECT_TRUE(SetConfigValue("data_dir=12", config).ok());

  EXPECT_EQ(config.settings.session_ttl, seconds(2));
  EXPECT_EQ(config.settings.max_batch, 7u);
  EXPECT_FALSE(config.settings.trust_unchecked);
  EXPECT_EQ(config.data_dir, "12");
  EXPECT_THAT(RefusedAssignment("control_plane.session_ttl"), HasSubstr("write key=value"));
  EXPECT_THAT(RefusedAssignment("control_plane.session_ttl=soon"), HasSubstr("\"soon\" is not allowed"));
  EXPECT_THAT(RefusedAssignment("control_plane=3"), HasSubstr("no such setting"));
}

TEST(Config, SettingsThatDoNotFitTogetherAreRefused) {
  EXPECT_THAT(Unfit({"control_plane.runtime_ttl=500ms"}), HasSubstr("control_plane.runtime_ttl is below"));
  EXPECT_THAT(Unfit({"control_plane.session_ttl=900ms"}), HasSubstr("control_plane.session_ttl is below"));
  EXPECT_THAT(Unfit({"control_plane.renewal_interval=29s"}), HasSubstr("more than 1s above"));
  EXPECT_THAT(Unfit({"control_plane.ack_timeout=30s"}), HasSubstr("control_plane.ack_timeout must be below"));
  EXPECT_THAT(Unfit({"control_plane.default_lifetime=60s"}), HasSubstr("control_plane.default_lifetime must be above"));
  EXPECT_THAT(Unfit({"control_plane.keepalive_timeout=20s"}),
              HasSubstr("control_plane.keepalive_timeout must be below"));
  EXPECT_THAT(Unfit({"control_plane.command_queue_bytes=64MiB"}), HasSubstr("control_plane.command_queue_bytes"));
  EXPECT_THAT(Unfit({"health.failures_to_suspect=4"}), HasSubstr("health.failures_to_suspect is above"));
  EXPECT_THAT(Unfit({"health.suspect_interval=11m"}), HasSubstr("health.suspect_interval is above"));
  EXPECT_THAT(Unfit({"health.outcomes.failures=21"}), HasSubstr("health.outcomes.failures is above"));
  EXPECT_TRUE(CheckConfig(Config{}).ok());
}

TEST(Config, AnAnonymityIsAWordInTheFileAndItsNumberInTheLog) {
  Config config;

  EXPECT_TRUE(SetConfigValue("health.egress.min_anonymity=anonymous", config).ok());

  EXPECT_EQ(config.settings.egress_min_anonymity, static_cast<std::uint64_t>(Anonymity::kAnonymous));
  EXPECT_THAT(ConfigJson(config), HasSubstr("\"min_anonymity\": \"anonymous\""));
  EXPECT_THAT(RefusedAssignment("health.egress.min_anonymity=2"),
              HasSubstr("one of \"none\" \"transparent\" \"anonymous\" \"elite\""));
}

TEST(Config, WhatIsPrintedCanBeReadBackAndHashesAlike) {
  Config config;
  ASSERT_TRUE(SetConfigValue("control_plane.session_ttl=1h", config).ok());
  ASSERT_TRUE(SetConfigValue("control_plane.command_queue_share=0.3", config).ok());

  Config again;
  ASSERT_TRUE(LoadConfigText(ConfigJson(config), "printed", again).ok());

  EXPECT_EQ(again, config);
  EXPECT_EQ(ConfigHash(again), ConfigHash(config));
  EXPECT_NE(ConfigHash(Config{}), ConfigHash(config));
}

TEST(Config, EverySettingChangesTheHash) {
  Config config;
  for (const ConfigField& field : FieldsOf(config)) {
    const Hash256 before = ConfigHash(config);
    const nlohmann::json was = field.get();
    const bool other_flag = !was.is_boolean() || !was.get<bool>();
    const auto list = nlohmann::json::array({"localhost:1"});
    const std::vector<nlohmann::json> others = {"59s",   "61s",   "2MiB",  17u,        7u,  0.75,
                                                "debug", "elite", "redis", other_flag, list};
    bool changed = false;
    for (const nlohmann::json& other : others) changed = changed || (other != was && field.set(other).ok());
    EXPECT_TRUE(changed) << field.name << " " << field.allowed;
    EXPECT_NE(ConfigHash(config), before) << field.name;
  }
}

TEST(Config, EverySettingStandsInTheDocumentation) {
  std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/docs/configuration.md");
  std::ostringstream text;
  text << file.rdbuf();
  ASSERT_FALSE(text.str().empty());
  Config config;

  for (const ConfigField& field : FieldsOf(config)) {
    const nlohmann::json value = field.get();
    const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
    const std::string row = "| `" + field.name + "` | `" + shown + "` |";
    EXPECT_THAT(text.str(), HasSubstr(row));
  }
}

TEST(Config, TheExampleOfTheRepositoryIsTheDefaults) {
  Config config;

  const absl::Status status = LoadConfigFile(std::string(HOLDFAST_SOURCE_DIR) + "/deploy/holdfastd.json", config);

  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(config, Config{});
}

TEST(Config, AMissingFileIsNamed) {
  Config config;

  const absl::Status status = LoadConfigFile("no/such/file.json", config);

  EXPECT_TRUE(absl::IsNotFound(status));
  EXPECT_THAT(std::string(status.message()), HasSubstr("no/such/file.json"));
}

TEST(ConfigText, DurationsAndSizesReadBackWhatTheyPrint) {
  for (const Duration duration :
       {Duration(0), Duration(microseconds(1)), Duration(milliseconds(250)), Duration(seconds(15)),
        Duration(hours(1) + minutes(30)), Duration(hours(24) + milliseconds(5)), Duration(INT64_MAX)}) {
    EXPECT_EQ(ParseDurationText(DurationText(duration)), duration) << DurationText(duration);
  }
  for (const std::uint64_t size :
       std::vector<std::uint64_t>{0, 1, 1023, 1024, 3'670'016, 8ull << 20, 5ull << 40, INT64_MAX}) {
    EXPECT_EQ(ParseSizeText(SizeText(size)), size) << SizeText(size);
  }
  EXPECT_EQ(DurationText(minutes(90)), "1h30m");
  EXPECT_EQ(SizeText(3'670'016), "3584KiB");
}

TEST(ConfigText, WhatIsNoDurationOrSizeIsNone) {
  for (const char* text : {"", "15", "s", "1.5s", "-1s", " 1s", "1s ", "1s1h", "1s1s", "1d", "1 s",
                           "9223372036854775808us", "99999999999h", "1S", "1min"}) {
    EXPECT_FALSE(ParseDurationText(text)) << text;
  }
  for (const char* text : {"", "8", "MiB", "8MB", "8mib", "1.5GiB", "-1B", "8 MiB", "8MiB1KiB", "9999999TiB"}) {
    EXPECT_FALSE(ParseSizeText(text)) << text;
  }
}

}  // namespace
}  // namespace holdfast::server
