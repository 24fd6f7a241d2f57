// Reads docs/checksum_vectors.md: what is printed there is what is tested.

#pragma once

#include <google/protobuf/util/json_util.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::test {

struct ChecksumVector {
  std::string title;
  controlplane::v1::WorkerSnapshot snapshot;
  std::string first_hash;  // hexadecimal; of the first proxy, or else of the first routing; may be empty
  std::string checksum;    // hexadecimal
};

inline std::string Between(const std::string& text, const std::string& before, const std::string& after,
                           std::size_t from) {
  const std::size_t begin = text.find(before, from);
  if (begin == std::string::npos) return "";
  const std::size_t start = begin + before.size();
  return text.substr(start, text.find(after, start) - start);
}

// Empty where the file is missing or a vector of it cannot be read.
inline std::vector<ChecksumVector> ReadChecksumVectors() {
  std::ifstream file(std::string(HOLDFAST_SOURCE_DIR) + "/docs/checksum_vectors.md");
  std::stringstream whole;
  whole << file.rdbuf();
  const std::string text = whole.str();
  std::vector<ChecksumVector> vectors;
  for (std::size_t at = text.find("\n### "); at != std::string::npos; at = text.find("\n### ", at + 1)) {
    const std::string section = text.substr(at + 1, text.find("\n### ", at + 1) - at - 1);
    ChecksumVector vector;
    vector.title = Between(section, "### ", "\n", 0);
    const std::string json = Between(section, "```json\n", "```", 0);
    if (!google::protobuf::util::JsonStringToMessage(json, &vector.snapshot).ok()) return {};
    vector.first_hash = Between(section, "\n- H of it: `", "`", 0);
    vector.checksum = Between(section, "\n- checksum: `", "`", 0);
    vectors.push_back(std::move(vector));
  }
  return vectors;
}

}  // namespace holdfast::test
