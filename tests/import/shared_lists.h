// Where the shared proxy lists stand, for tests that read them.
//
// HOLDFAST_SHARED names the folder; without it, ../shared beside the repository. Absent: the test says so and passes,
// unless HOLDFAST_SHARED was set: then it fails.

#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace holdfast::importer {

// The folder data/proxies; nothing if it is absent (said on stdout, and a failure of the test if it was asked for).
std::optional<std::filesystem::path> SharedLists();

// The whole of a file. Fails the test if it cannot be read.
std::string ReadWholeFile(const std::filesystem::path& path);

}  // namespace holdfast::importer
