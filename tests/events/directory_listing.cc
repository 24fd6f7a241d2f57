#include "tests/events/directory_listing.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/sha256.h"

namespace holdfast::testing {

DirectoryListing ListDirectory(const std::string& path) {
  DirectoryListing listing;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    struct stat status {};
    EXPECT_EQ(stat(entry.path().c_str(), &status), 0);
    const std::string content = entry.is_regular_file() ? ReadFile(entry.path()) : "";
    std::ostringstream line;
    line << status.st_mode << ' ' << status.st_size << ' ' << status.st_mtim.tv_sec << '.' << status.st_mtim.tv_nsec
         << ' ' << ToHex(Sha256Of(content));
    listing[entry.path().string()] = line.str();
  }
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  listing["."] = std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec);
  return listing;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

void WriteFile(const std::string& path, const std::string& content) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << content;
  file.close();
  EXPECT_TRUE(file.good()) << path;
}

void CopyDirectory(const std::string& from, const std::string& to) {
  std::error_code error;
  std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, error);
  EXPECT_FALSE(error) << error.message();
}

std::vector<std::string> LogFilesWithContent(const std::string& path) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".log" && entry.file_size() > 0) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace holdfast::testing
