#include "tools/import/text_list.h"

#include "tools/import/text_hygiene.h"

namespace holdfast::importer {
namespace {

bool IsCommentOrBlank(std::string_view text) {
  return text.empty() || text.starts_with('#') || text.starts_with("//") || text.starts_with(';');
}

}  // namespace

absl::Status ReadTextList(LineReader* lines, const RecordRules& rules, Admission* admission) {
  Line line;
  while (!admission->stopped() && lines->Next(&line)) {
    const Position position{line.number, line.number};
    if (line.too_long) {
      admission->Admit(Refusal{RejectionReason::kLineTooLong, {}}, position);
      continue;
    }
    const std::string_view text = TrimText(line.text);
    if (IsCommentOrBlank(text)) {
      admission->Skip();
    } else {
      admission->Admit(rules.InterpretText(text), position);
    }
  }
  return lines->status();
}

}  // namespace holdfast::importer
