#include "tools/import/line_reader.h"

namespace holdfast::importer {
namespace {

constexpr std::size_t kLineBufferBytes = 1u << 16;

}  // namespace

LineReader::LineReader(ByteSource* source, std::size_t max_bytes, char line_end)
    : source_(source), max_bytes_(max_bytes), line_end_(line_end), buffer_(kLineBufferBytes) {}

bool LineReader::Fill() {
  if (!status_.ok()) return false;
  const absl::StatusOr<std::size_t> count = source_->Read(buffer_.data(), buffer_.size());
  if (!count.ok()) {
    status_ = count.status();
    return false;
  }
  unread_ = std::string_view(buffer_.data(), *count);
  return *count > 0;
}

void LineReader::Finish(std::string_view text, Line* line) {
  line->number = ++number_;
  line->too_long = text.size() > max_bytes_;
  if (line->too_long) text = {};
  if (text.ends_with('\r')) text.remove_suffix(1);
  line->text = text;
}

bool LineReader::Next(Line* line) {
  partial_.clear();
  bool began = false;
  while (true) {
    if (unread_.empty() && !Fill()) break;
    began = true;
    const std::size_t end = unread_.find(line_end_);
    const std::string_view part = unread_.substr(0, end);
    const bool is_whole = end != std::string_view::npos;
    if (is_whole && partial_.empty()) {
      unread_.remove_prefix(end + 1);
      Finish(part, line);
      return true;
    }
    // One byte over the limit says enough; the rest of the line is passed over.
    partial_.append(part.substr(0, max_bytes_ + 1 - partial_.size()));
    unread_.remove_prefix(is_whole ? end + 1 : unread_.size());
    if (is_whole) {
      Finish(partial_, line);
      return true;
    }
  }
  // Half a line before a fault is no line: "…:80" may have been "…:8080".
  if (!began || !status_.ok()) return false;
  Finish(partial_, line);
  return true;
}

}  // namespace holdfast::importer
