#include "tools/import/json_document.h"

#include <algorithm>
#include <array>

#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

using FieldKind = FieldValue::Kind;

constexpr std::size_t kDeepest = 64;
constexpr std::size_t kDeepestPage = 3;
constexpr std::size_t kLongestCount = 18;

// Under which keys of a page its records stand.
constexpr std::array<std::string_view, 9> kContainers = {"data",    "items",  "list",    "proxies", "proxy_list",
                                                         "records", "result", "results", "rows"};

bool IsContainer(std::string_view key) {
  return std::find(kContainers.begin(), kContainers.end(), key) != kContainers.end();
}

// What API pages write for "all is well".
bool IsGoodCode(std::string_view text) { return text == "0" || text == "200"; }

std::optional<std::uint64_t> CountOf(std::string_view text) {
  if (text.empty() || text.size() > kLongestCount) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

}  // namespace

JsonPage JsonDocument::page() const {
  JsonPage page;
  page.has_no_records = records_ == 0;
  page.is_refusal = says_error_ && records_ == 0;
  page.is_partial = has_list_ && (says_more_ || announced_ > records_);
  return page;
}

bool JsonDocument::null() { return Scalar(FieldKind::kAbsent, {}, false); }
bool JsonDocument::boolean(bool value) { return Scalar(FieldKind::kOther, value ? "true" : "false", value); }
bool JsonDocument::number_integer(number_integer_t value) {
  return Scalar(FieldKind::kNumber, std::to_string(value), value != 0);
}
bool JsonDocument::number_unsigned(number_unsigned_t value) {
  return Scalar(FieldKind::kNumber, std::to_string(value), value != 0);
}
bool JsonDocument::number_float(number_float_t value, const string_t& text) {
  return Scalar(FieldKind::kNumber, text, value != 0);
}
bool JsonDocument::string(string_t& value) { return Scalar(FieldKind::kText, value, !value.empty()); }

RawRecord* JsonDocument::CurrentRecord() { return levels_.back().kind == Kind::kPage ? &pages_.back() : &record_; }

bool JsonDocument::Scalar(FieldKind kind, std::string_view text, bool is_true) {
  if (levels_.empty() || levels_.back().kind == Kind::kList) {
    ++position_.record;
    position_.line = *line_;
    if (kind == FieldKind::kText) {
      TakeText(text);
    } else {
      TakeOther();
    }
    return true;
  }
  Level& level = levels_.back();
  switch (level.kind) {
    case Kind::kPage:
      NoteFact(level.key, kind, text, is_true);
      [[fallthrough]];
    case Kind::kRecord:
      if (level.field) CurrentRecord()->Set(*level.field, kind, text);
      break;
    case Kind::kSchemes: {
      const Kind owner = levels_[levels_.size() - 2].kind;
      RawRecord& record = owner == Kind::kPage ? pages_.back() : record_;
      record.AddScheme(kind == FieldKind::kText ? TrimText(text) : std::string_view("?"));
      break;
    }
    case Kind::kList:
    case Kind::kIgnored:
      break;
  }
  return true;
}

void JsonDocument::NoteFact(const std::string& key, FieldKind kind, std::string_view text, bool is_true) {
  if (key == "error" || key == "errors") says_error_ |= is_true;
  if (key == "success") says_error_ |= kind == FieldKind::kOther && !is_true;
  if ((key == "code" || key == "ret") && kind == FieldKind::kNumber) says_error_ |= !IsGoodCode(text);
  if (key == "next" || key == "nextpage") says_more_ |= is_true;
  if (key == "total" || key == "total_records" || key == "count") {
    announced_ = std::max(announced_, CountOf(text).value_or(0));
  }
}

bool JsonDocument::Enter(Kind kind) {
  if (levels_.size() == kDeepest) return false;
  levels_.push_back(Level{kind, {}, std::nullopt});
  if (kind == Kind::kPage) pages_.emplace_back();
  if (kind == Kind::kList) has_list_ = true;
  if (kind == Kind::kRecord) {
    record_.Clear();
    ++position_.record;
    position_.line = *line_;
  }
  return true;
}

JsonDocument::Kind JsonDocument::KindOfObject() {
  if (levels_.empty()) return Kind::kPage;
  const Level& level = levels_.back();
  if (level.kind == Kind::kList) return Kind::kRecord;
  if (level.kind == Kind::kPage && IsContainer(level.key) && pages_.size() < kDeepestPage) return Kind::kPage;
  return Kind::kIgnored;
}

JsonDocument::Kind JsonDocument::KindOfArray() {
  if (levels_.empty()) return Kind::kList;
  const Level& level = levels_.back();
  if (level.kind == Kind::kPage && IsContainer(level.key)) return Kind::kList;
  const bool holds_fields = level.kind == Kind::kPage || level.kind == Kind::kRecord;
  if (holds_fields && level.field == Field::kScheme) return Kind::kSchemes;
  return Kind::kIgnored;
}

bool JsonDocument::start_object(std::size_t) {
  const Kind kind = KindOfObject();
  if (kind == Kind::kIgnored) Scalar(FieldKind::kOther, "{}", true);
  return Enter(kind);
}

bool JsonDocument::start_array(std::size_t) {
  const Kind kind = KindOfArray();
  if (kind == Kind::kSchemes) CurrentRecord()->BeginSchemeList();
  if (kind == Kind::kIgnored) Scalar(FieldKind::kOther, "[]", true);
  return Enter(kind);
}

bool JsonDocument::key(string_t& value) {
  Level& level = levels_.back();
  if (level.kind != Kind::kPage && level.kind != Kind::kRecord) return true;
  level.field = FieldOfKey(value);
  const bool may_matter = level.field.has_value() || level.kind == Kind::kPage;
  level.key = may_matter ? ToLowerAscii(value) : std::string();
  if (level.field) CurrentRecord()->Mark(*level.field, level.key);
  return true;
}

bool JsonDocument::end_object() {
  const Kind kind = levels_.back().kind;
  if (kind == Kind::kRecord) TakeRecord(record_);
  if (kind == Kind::kPage) EndPage();
  levels_.pop_back();
  return true;
}

bool JsonDocument::end_array() {
  levels_.pop_back();
  return true;
}

// An object that holds no list may be a record; without a host it is an error of the provider, or nothing at all.
void JsonDocument::EndPage() {
  const RawRecord page = std::move(pages_.back());
  pages_.pop_back();
  const bool is_outermost = pages_.empty();
  if (page.NamesAHost() || (is_outermost && !has_list_ && !says_error_ && records_ == 0)) {
    ++position_.record;
    position_.line = *line_;
    TakeRecord(page);
  }
}

void JsonDocument::TakeText(std::string_view text) {
  ++records_;
  outcomes_.emplace_back(rules_.InterpretText(text), position_);
}

void JsonDocument::TakeOther() {
  ++records_;
  outcomes_.emplace_back(Refusal{RejectionReason::kMalformedLine, {}}, position_);
}

void JsonDocument::TakeRecord(const RawRecord& record) {
  ++records_;
  found_.clear();
  rules_.Interpret(record, &found_);
  for (Outcome& outcome : found_) outcomes_.emplace_back(std::move(outcome), position_);
}

}  // namespace holdfast::importer
