// Labels for people: "country=DE tier=gold", in byte order of the keys.
//
// Called by the tables of proxies and routings. Pure. A protobuf map has no order of its own.

#pragma once

#include <google/protobuf/map.h>

#include <map>
#include <string>

namespace holdfast::cli {

inline std::map<std::string, std::string> SortedLabels(const google::protobuf::Map<std::string, std::string>& labels) {
  return {labels.begin(), labels.end()};
}

inline std::string LabelsText(const google::protobuf::Map<std::string, std::string>& labels) {
  std::string text;
  for (const auto& [key, value] : SortedLabels(labels)) text += (text.empty() ? "" : " ") + key + "=" + value;
  return text;
}

}  // namespace holdfast::cli
