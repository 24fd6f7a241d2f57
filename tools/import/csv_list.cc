#include "tools/import/csv_list.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

bool KeepsItsBlanks(Field field) { return field == Field::kUsername || field == Field::kPassword; }

}  // namespace

absl::Status CsvList::Read() {
  if (!ReadHeader()) {
    return lines_->status().ok() ? absl::InvalidArgumentError("the first line names no columns") : lines_->status();
  }
  PendingLine line;
  Position position;
  while (!admission_->stopped() && NextLine(&line)) {
    const std::string_view text = TrimText(line.text);
    if (!line.too_long && (text.empty() || text.starts_with('#'))) {
      admission_->Skip();
      // Such a line is a record of its own in the count, as expected of a list that is edited by hand.
      ++position.record;
      continue;
    }
    position = Position{line.number, position.record + 1};
    if (line.too_long) {
      admission_->Admit(Refusal{RejectionReason::kLineTooLong, {}}, position);
    } else if (ReadRow(line) == CsvRowState::kWhole) {
      TakeRow(position);
    } else {
      admission_->Admit(Refusal{RejectionReason::kMalformedRow, {}}, position);
    }
  }
  return lines_->status();
}

bool CsvList::NextLine(PendingLine* line) {
  if (!returned_.empty()) {
    *line = std::move(returned_.front());
    returned_.pop_front();
    return true;
  }
  Line next;
  if (!lines_->Next(&next)) return false;
  line->text.assign(next.text);
  line->number = next.number;
  line->too_long = next.too_long;
  return true;
}

bool CsvList::ReadHeader() {
  PendingLine line;
  while (NextLine(&line)) {
    if (!line.too_long && TrimText(line.text).empty()) {
      admission_->Skip();
      continue;
    }
    std::optional<CsvHeader> header = line.too_long ? std::nullopt : ParseCsvHeader(line.text);
    if (!header) return false;
    header_ = *std::move(header);
    return true;
  }
  return false;
}

// Takes further lines while a quote is open; gives them back unless they made the record whole.
CsvRowState CsvList::ReadRow(const PendingLine& first) {
  CsvRowState state = SplitCsvRow(first.text, header_.delimiter, &fields_);
  std::string text = first.text;
  std::vector<PendingLine> further;
  PendingLine line;
  while (state == CsvRowState::kOpenQuote && NextLine(&line)) {
    further.push_back(line);
    if (line.too_long || text.size() + line.text.size() >= max_record_bytes_) break;
    text.append("\n").append(line.text);
    // Quotes open and close in turn, so only an odd number of them closes the one that is open.
    if (std::count(line.text.begin(), line.text.end(), '"') % 2 == 1)
      state = SplitCsvRow(text, header_.delimiter, &fields_);
  }
  if (state != CsvRowState::kWhole) {
    returned_.insert(returned_.begin(), std::make_move_iterator(further.begin()),
                     std::make_move_iterator(further.end()));
  }
  return state;
}

std::optional<RejectionReason> CsvList::CheckRow() const {
  for (const std::string& field : fields_) {
    if (!IsUtf8(field)) return RejectionReason::kInvalidUtf8;
  }
  const auto has_text = [](const std::string& field) { return !TrimText(field).empty(); };
  const std::size_t columns = header_.names.size();
  if (fields_.size() > columns &&
      std::any_of(fields_.begin() + static_cast<std::ptrdiff_t>(columns), fields_.end(), has_text)) {
    return RejectionReason::kMalformedRow;
  }
  const bool is_header = fields_.size() == columns && std::equal(fields_.begin(), fields_.end(), header_.names.begin(),
                                                                 [](const std::string& field, const std::string& name) {
                                                                   return ToLowerAscii(TrimText(field)) == name;
                                                                 });
  if (is_header) return RejectionReason::kRepeatedHeader;
  return std::nullopt;
}

void CsvList::FillRecord() {
  record_.Clear();
  for (std::size_t i = 0; i < header_.fields.size() && i < fields_.size(); ++i) {
    if (!header_.fields[i]) continue;
    const Field field = *header_.fields[i];
    const std::string_view text = KeepsItsBlanks(field) ? std::string_view(fields_[i]) : TrimText(fields_[i]);
    record_.Mark(field, header_.names[i]);
    record_.Set(field, FieldValue::Kind::kText, text);
  }
}

void CsvList::TakeRow(Position position) {
  if (const auto reason = CheckRow()) {
    admission_->Admit(Refusal{*reason, {}}, position);
    return;
  }
  FillRecord();
  outcomes_.clear();
  rules_.Interpret(record_, &outcomes_);
  for (Outcome& outcome : outcomes_) admission_->Admit(std::move(outcome), position);
}

}  // namespace holdfast::importer
