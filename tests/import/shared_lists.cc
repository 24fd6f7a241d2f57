#include "tests/import/shared_lists.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>

namespace holdfast::importer {

std::optional<std::filesystem::path> SharedLists() {
  const char* named = std::getenv("HOLDFAST_SHARED");
  const std::filesystem::path shared =
      named != nullptr ? std::filesystem::path(named) : std::filesystem::path(HOLDFAST_SOURCE_DIR) / ".." / "shared";
  const std::filesystem::path lists = shared / "data" / "proxies";
  if (std::filesystem::is_directory(lists)) return lists;
  if (named != nullptr) ADD_FAILURE() << "HOLDFAST_SHARED is set, and " << lists << " is no folder";
  std::cout << "no shared lists in " << lists << ": nothing was tested\n";
  return std::nullopt;
}

std::string ReadWholeFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  EXPECT_TRUE(file.good()) << path;
  return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

}  // namespace holdfast::importer
