#include "replay/field_difference.h"

#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "events/event_codec.h"
#include "holdfast/log/v1/event.pb.h"

namespace holdfast::replay {
namespace {

using Json = nlohmann::json;

constexpr char kNone[] = "(none)";

std::string Text(const Json& value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

// {"snapshot_issued": {…}}, with every field, so that a value and its absence are told apart by their text.
Json JsonOf(const Event& event) {
  std::string bytes;
  EncodeEvents({event}, bytes);
  log::v1::Events events;
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const bool read = events.ParseFromString(bytes) && events.events_size() == 1 &&
                    google::protobuf::util::MessageToJsonString(events.events(0), &text, options).ok();
  return read ? Json::parse(text, nullptr, false) : Json(std::string(EventName(event)));
}

// Walks two values and notes where they differ.
class Comparison {
 public:
  void Compare(const std::string& path, const Json& logged, const Json& decided) {
    if (logged == decided) return;
    if (logged.is_object() && decided.is_object()) return CompareObjects(path, logged, decided);
    if (logged.is_array() && decided.is_array()) return CompareArrays(path, logged, decided);
    Note(path, Text(logged), Text(decided));
  }
  void Note(const std::string& path, std::string logged, std::string decided) {
    if (++found_ <= kMostDifferences) list_.push_back({path, std::move(logged), std::move(decided)});
  }
  std::vector<FieldDifference> Take() {
    if (found_ > kMostDifferences) list_.back() = {std::to_string(found_ - kMostDifferences + 1) + " more", "…", "…"};
    return std::move(list_);
  }

 private:
  void CompareObjects(const std::string& path, const Json& logged, const Json& decided) {
    std::set<std::string> names;
    for (const auto& [name, value] : logged.items()) names.insert(name);
    for (const auto& [name, value] : decided.items()) names.insert(name);
    for (const std::string& name : names) {
      const auto left = logged.find(name), right = decided.find(name);
      const std::string field = path + "." + name;
      if (left != logged.end() && right != decided.end()) {
        Compare(field, *left, *right);
      } else {
        Note(field, left == logged.end() ? kNone : Text(*left), right == decided.end() ? kNone : Text(*right));
      }
    }
  }
  void CompareArrays(const std::string& path, const Json& logged, const Json& decided) {
    for (std::size_t i = 0; i < std::max(logged.size(), decided.size()); ++i) {
      const std::string field = path + "[" + std::to_string(i) + "]";
      if (i < logged.size() && i < decided.size()) {
        Compare(field, logged[i], decided[i]);
      } else {
        Note(field, i < logged.size() ? Text(logged[i]) : kNone, i < decided.size() ? Text(decided[i]) : kNone);
      }
    }
  }

  std::size_t found_ = 0;
  std::vector<FieldDifference> list_;
};

}  // namespace

std::vector<FieldDifference> CompareEvents(const std::vector<Event>& logged, const std::vector<Event>& decided) {
  Comparison comparison;
  if (logged.size() != decided.size()) {
    comparison.Note("number of events", std::to_string(logged.size()), std::to_string(decided.size()));
  }
  for (std::size_t i = 0; i < std::max(logged.size(), decided.size()); ++i) {
    const std::string path = "events[" + std::to_string(i) + "]";
    if (i >= logged.size()) {
      comparison.Note(path, kNone, Text(JsonOf(decided[i])));
    } else if (i >= decided.size()) {
      comparison.Note(path, Text(JsonOf(logged[i])), kNone);
    } else if (logged[i].index() != decided[i].index()) {
      comparison.Note(path, Text(JsonOf(logged[i])), Text(JsonOf(decided[i])));
    } else if (logged[i] != decided[i]) {
      comparison.Compare(path, JsonOf(logged[i]), JsonOf(decided[i]));
    }
  }
  return comparison.Take();
}

}  // namespace holdfast::replay
