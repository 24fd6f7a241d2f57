// JSON as programs get it: one way to write it for every command.
//
// Called by the commands for --json. Pure but for JsonList, which writes to a stream as it goes, so that a list of a
// million rows is never held. Numbers are JSON numbers (all stay below 2^53 by contract), times RFC 3339 in UTC with
// microseconds or null, durations whole milliseconds, hashes hexadecimal. Text that is no UTF-8 gets the replacement
// character: the output always parses.

#pragma once

#include <google/protobuf/map.h>
#include <google/protobuf/timestamp.pb.h>

#include <iosfwd>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace holdfast::cli {

using Json = nlohmann::ordered_json;

// One line, without its end.
std::string JsonText(const Json& value);

// null where it is absent.
Json TimeJson(bool present, const google::protobuf::Timestamp& time);
// null where it is empty.
Json TextJson(const std::string& text);
std::string HexText(std::string_view bytes);
// Keys in byte order: a protobuf map has none.
Json LabelsJson(const google::protobuf::Map<std::string, std::string>& labels);

// {"NAME":[ITEM,\nITEM],FIELDS...}; nothing at all before the first of Add() and Finish().
class JsonList {
 public:
  JsonList(std::ostream& out, std::string_view name);
  void Add(const Json& item);
  // Requires: `fields` is an object; may be empty.
  void Finish(const Json& fields);

 private:
  std::ostream& out_;
  const std::string name_;
  bool empty_ = true;
};

}  // namespace holdfast::cli
