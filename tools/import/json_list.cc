#include "tools/import/json_list.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/import/json_document.h"
#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

constexpr std::size_t kBufferBytes = 1u << 16;

// Gives a source to the parser character by character, and counts lines.
class CharacterFeed {
 public:
  CharacterFeed(ByteSource* source, std::uint64_t max_bytes) : source_(source), left_(max_bytes) {}

  bool AtEnd() {
    if (position_ < size_) return false;
    if (!status_.ok()) return true;
    const absl::StatusOr<std::size_t> count = source_->Read(buffer_.data(), buffer_.size());
    if (!count.ok()) status_ = count.status();
    size_ = count.ok() ? *count : 0;
    position_ = 0;
    if (size_ > left_) {
      status_ = absl::ResourceExhaustedError("the JSON document is larger than allowed: split it, or use NDJSON");
      size_ = 0;
    }
    left_ -= size_;
    return size_ == 0;
  }
  char Current() { return AtEnd() ? '\0' : buffer_[position_]; }
  void Advance() {
    if (AtEnd()) return;
    if (buffer_[position_++] == '\n') ++line_;
  }
  const std::uint64_t* line() const { return &line_; }
  const absl::Status& status() const { return status_; }

 private:
  ByteSource* source_;
  std::uint64_t left_;
  std::array<char, kBufferBytes> buffer_;
  std::size_t size_ = 0;
  std::size_t position_ = 0;
  std::uint64_t line_ = 1;
  absl::Status status_;
};

class FeedIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit FeedIterator(CharacterFeed* feed = nullptr) : feed_(feed) {}
  char operator*() const { return feed_->Current(); }
  FeedIterator& operator++() {
    feed_->Advance();
    return *this;
  }
  FeedIterator operator++(int) {
    FeedIterator before = *this;
    feed_->Advance();
    return before;
  }
  friend bool operator==(const FeedIterator& a, const FeedIterator& b) { return a.AtEnd() == b.AtEnd(); }
  friend bool operator!=(const FeedIterator& a, const FeedIterator& b) { return !(a == b); }

 private:
  bool AtEnd() const { return feed_ == nullptr || feed_->AtEnd(); }

  CharacterFeed* feed_;
};

template <class Iterator>
bool Parse(Iterator begin, Iterator end, JsonDocument* document) {
  try {
    return nlohmann::json::sax_parse(begin, end, document);
  } catch (const std::exception&) {
    return false;  // the parser reports faults by a call; whatever else it throws is one as well
  }
}

// line: where the whole document stands, if it is a line.
void Hand(JsonDocument* document, std::optional<Position> line, Admission* admission, JsonFindings* findings) {
  for (auto& [outcome, position] : document->TakeOutcomes()) {
    if (admission->stopped()) return;
    admission->Admit(std::move(outcome), line.value_or(position));
  }
  const JsonPage page = document->page();
  if (page.has_no_records) admission->Skip();
  if (page.is_refusal) ++findings->refusals;
  if (page.is_partial) ++findings->partial_pages;
}

int HexValue(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// The unit of a "\uXXXX" at the begin of text.
int EscapedUnit(std::string_view text) {
  if (text.size() < 6 || text[0] != '\\' || text[1] != 'u') return -1;
  int unit = 0;
  for (std::size_t i = 2; i < 6; ++i) {
    const int digit = HexValue(text[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

// Tells a text that is no Unicode from one that is no JSON.
bool HasLoneSurrogate(std::string_view text) {
  for (std::size_t i = text.find('\\'); i < text.size(); i = text.find('\\', i)) {
    const int unit = EscapedUnit(text.substr(i));
    if (unit < 0xd800 || unit >= 0xe000) {
      i += 2;
      continue;
    }
    const int next = EscapedUnit(text.substr(i).substr(std::min<std::size_t>(6, text.size() - i)));
    if (unit >= 0xdc00 || next < 0xdc00 || next >= 0xe000) return true;
    i += 12;
  }
  return false;
}

RejectionReason WhyNoJson(std::string_view text) {
  if (!IsUtf8(text)) return RejectionReason::kInvalidUtf8;
  return HasLoneSurrogate(text) ? RejectionReason::kBadUnicode : RejectionReason::kBadJson;
}

}  // namespace

absl::Status ReadJsonList(ByteSource* source, std::uint64_t max_bytes, const RecordRules& rules, Admission* admission,
                          JsonFindings* findings) {
  CharacterFeed feed(source, max_bytes);
  JsonDocument document(rules, feed.line());
  if (!Parse(FeedIterator(&feed), FeedIterator(), &document)) {
    return feed.status().ok() ? absl::InvalidArgumentError("this is no whole JSON document") : feed.status();
  }
  Hand(&document, std::nullopt, admission, findings);
  return absl::OkStatus();
}

absl::Status ReadNdjsonList(LineReader* lines, const RecordRules& rules, Admission* admission, JsonFindings* findings) {
  Line line;
  while (!admission->stopped() && lines->Next(&line)) {
    const Position position{line.number, line.number};
    if (line.too_long) {
      admission->Admit(Refusal{RejectionReason::kLineTooLong, {}}, position);
      continue;
    }
    const std::string_view text = TrimText(line.text);
    if (text.empty()) {
      admission->Skip();
      continue;
    }
    JsonDocument document(rules, &line.number);
    if (Parse(text.begin(), text.end(), &document)) {
      Hand(&document, position, admission, findings);
    } else {
      admission->Admit(Refusal{WhyNoJson(text), {}}, position);
    }
  }
  return lines->status();
}

}  // namespace holdfast::importer
