#include "tests/cli/json_schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace holdfast::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Json = nlohmann::json;

const Json kSchema = Json::parse(R"({
  "type": "object",
  "required": ["name", "count"],
  "additionalProperties": false,
  "properties": {
    "name": {"type": "string", "pattern": "^[a-z]+$", "minLength": 2},
    "count": {"type": "integer", "minimum": 0, "maximum": 10},
    "state": {"enum": ["up", "down", null]},
    "parts": {"type": "array", "items": {"$ref": "#/$defs/part"}}
  },
  "$defs": {"part": {"type": ["string", "null"]}}
})");

TEST(JsonSchema, AValueThatFitsHasNoFault) {
  const Json value = {{"name", "pool"}, {"count", 3}, {"state", nullptr}, {"parts", {"a", nullptr}}};

  EXPECT_THAT(SchemaFaults(kSchema, value), IsEmpty());
}

TEST(JsonSchema, EachKeywordFindsItsFault) {
  const auto faults = [](const char* text) { return SchemaFaults(kSchema, Json::parse(text)); };

  EXPECT_THAT(faults(R"([])"), ElementsAre(HasSubstr("is no \"object\"")));
  EXPECT_THAT(faults(R"({"name": "pool"})"), ElementsAre(HasSubstr("lacks \"count\"")));
  EXPECT_THAT(faults(R"({"name": "pool", "count": 1, "more": 1})"), ElementsAre(HasSubstr("/more: may not be there")));
  EXPECT_THAT(faults(R"({"name": "Pool", "count": 1})"), ElementsAre(HasSubstr("/name: does not match")));
  EXPECT_THAT(faults(R"({"name": "p", "count": 1})"), ElementsAre(HasSubstr("/name: is too short")));
  EXPECT_THAT(faults(R"({"name": "pool", "count": -1})"), ElementsAre(HasSubstr("/count: is below")));
  EXPECT_THAT(faults(R"({"name": "pool", "count": 11})"), ElementsAre(HasSubstr("/count: is above")));
  EXPECT_THAT(faults(R"({"name": "pool", "count": 1.5})"), ElementsAre(HasSubstr("/count: is no \"integer\"")));
  EXPECT_THAT(faults(R"({"name": "pool", "count": 1, "state": "left"})"), ElementsAre(HasSubstr("/state: is none of")));
  EXPECT_THAT(faults(R"({"name": "pool", "count": 1, "parts": ["a", 2]})"), ElementsAre(HasSubstr("/parts/1: is no")));
}

TEST(JsonSchema, AKeywordThatNobodyChecksIsAFaultOfTheSchema) {
  EXPECT_THAT(SchemaFaults(Json::parse(R"({"uniqueItems": true})"), Json::array()),
              ElementsAre(HasSubstr("uniqueItems")));
  EXPECT_THAT(SchemaFaults(Json::parse(R"({"$ref": "#/$defs/gone"})"), 1), ElementsAre(HasSubstr("gone")));
}

}  // namespace
}  // namespace holdfast::cli
