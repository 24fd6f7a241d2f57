// Finds the records in one JSON document, whatever stands around them: a list of objects or texts, one object, or a
// page of an API ({"data": […]}, {"proxies": […]}, {"data": {"proxy_list": […]}}).
//
// Driven by the JSON parser as it reads; nothing of the document is kept but what was found. The records are handed on
// when the document is whole, by the caller: half an array is no list. Promises: depth is bounded, keys that are not
// known cost nothing, and a number keeps the digits it was written with.

#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/import/candidate.h"
#include "tools/import/item.h"
#include "tools/import/raw_record.h"
#include "tools/import/record_rules.h"

namespace holdfast::importer {

// What a document says about itself.
struct JsonPage {
  bool is_refusal = false;      // an error of the provider instead of a list
  bool is_partial = false;      // it announces more records than it holds
  bool has_no_records = false;  // an empty page or a refusal
};

class JsonDocument : public nlohmann::json_sax<nlohmann::json> {
 public:
  // line: where the parser stands, kept by whoever feeds it; read at the begin of each record. All outlive it.
  JsonDocument(const RecordRules& rules, const std::uint64_t* line) : rules_(rules), line_(line) {}

  std::vector<std::pair<Outcome, Position>> TakeOutcomes() { return std::move(outcomes_); }
  JsonPage page() const;

  bool null() override;
  bool boolean(bool value) override;
  bool number_integer(number_integer_t value) override;
  bool number_unsigned(number_unsigned_t value) override;
  bool number_float(number_float_t value, const string_t& text) override;
  bool string(string_t& value) override;
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override;
  bool key(string_t& value) override;
  bool end_object() override;
  bool start_array(std::size_t) override;
  bool end_array() override;
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  enum class Kind : std::uint8_t { kPage, kList, kRecord, kSchemes, kIgnored };
  struct Level {
    Kind kind;
    std::string key;             // the last one met, in lower case; of a page or a record
    std::optional<Field> field;  // what it means
  };

  bool Scalar(FieldValue::Kind kind, std::string_view text, bool is_true);
  bool Enter(Kind kind);
  Kind KindOfObject();
  Kind KindOfArray();
  void NoteFact(const std::string& key, FieldValue::Kind kind, std::string_view text, bool is_true);
  void TakeText(std::string_view text);
  void TakeOther();
  void TakeRecord(const RawRecord& record);
  void EndPage();
  RawRecord* CurrentRecord();

  const RecordRules& rules_;
  const std::uint64_t* line_;
  std::vector<Level> levels_;
  std::vector<RawRecord> pages_;  // the fields of each page that is open: it may be a record itself
  RawRecord record_;
  Position position_;
  std::vector<std::pair<Outcome, Position>> outcomes_;
  std::vector<Outcome> found_;
  std::uint64_t records_ = 0;
  bool has_list_ = false;
  bool says_error_ = false;
  bool says_more_ = false;
  std::uint64_t announced_ = 0;
};

}  // namespace holdfast::importer
