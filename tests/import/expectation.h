// What expected.json says about one line, record or file, and whether an outcome is among what it allows.
//
// An outcome is a small JSON object in the shape of the file: {"action": "accept", "normalised": {…}},
// {"action": "reject", "reason": "…"}, {"action": "duplicate", "duplicate_of_line": 2}, {"action": "skip"}.

#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/import/import_run.h"

namespace holdfast::importer {

// An accepted item in the shape of "normalised", with its credential and the default capacity.
nlohmann::json NormalisedOf(const Item& item, const SecretStore& secrets);

// Whether all that `wanted` says about a proxy is so. Keys that it leaves out may be anything.
bool IsProxy(const nlohmann::json& normalised, const nlohmann::json& wanted);

// "expected" for the outcome named first, the reason why another one is allowed, or nothing: not allowed.
std::string WhyAllowed(const nlohmann::json& expectation, const nlohmann::json& outcome);

// The outcome of one record that had a single one.
nlohmann::json OutcomeAt(const ImportRun& run, std::uint64_t record);

}  // namespace holdfast::importer
