// Holds a JSON value against a JSON Schema: the part of draft 2020-12 that docs/schemas uses.
//
// Called by the tests. Pure. Knows type, const, enum, properties, required, additionalProperties, items, minimum,
// maximum, pattern, minLength and "$ref" into "#/$defs"; any other keyword that asks for something is a fault of the
// schema, so that a schema cannot ask for what nobody checks.

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace holdfast::cli {

// Each fault with its place: "/sessions/0/state: is none of the enum". Empty: it holds.
std::vector<std::string> SchemaFaults(const nlohmann::json& schema, const nlohmann::json& value);

}  // namespace holdfast::cli
