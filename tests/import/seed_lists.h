// Small lists in every format, with what is odd in each: where the mutations of the fuzz test begin.

#pragma once

#include <string>
#include <vector>

namespace holdfast::importer {

// Each with the byte before it that chooses the format (import_harness.h). The shared quirks are among them where they
// are at hand.
std::vector<std::string> SeedLists();

}  // namespace holdfast::importer
