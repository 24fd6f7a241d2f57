// What a directory holds, to the byte, so that a test can show that nothing in it was changed; and its files, to damage
// them.
//
// Thread: any. Requires: this process does not hold the log in it (reading LOCK would give the lock up).

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace holdfast::testing {

// Per file: mode, size, time of change, and SHA-256 of its content.
using DirectoryListing = std::map<std::string, std::string>;
DirectoryListing ListDirectory(const std::string& path);

std::string ReadFile(const std::string& path);
void WriteFile(const std::string& path, const std::string& content);

// Copies all files of one directory into another, new one.
void CopyDirectory(const std::string& from, const std::string& to);

// The numbered *.log files that hold anything, oldest first.
std::vector<std::string> LogFilesWithContent(const std::string& path);

}  // namespace holdfast::testing
