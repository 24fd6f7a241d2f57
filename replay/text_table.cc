#include "replay/text_table.h"

#include <algorithm>
#include <utility>

namespace holdfast::replay {
namespace {

constexpr std::size_t kRowsForWidths = 500;
constexpr std::size_t kMostWidth = 60;

}  // namespace

TextTable::TextTable(std::ostream& out, std::vector<std::string> columns) : out_(out), widths_(columns.size()) {
  held_.push_back(std::move(columns));
}

void TextTable::Add(std::vector<std::string> cells) {
  if (flushed_) return Write(cells);
  held_.push_back(std::move(cells));
  if (held_.size() > kRowsForWidths) Flush();
}

void TextTable::Finish(const std::string& nothing) {
  if (!flushed_ && held_.size() == 1) {
    out_ << nothing << '\n';
    return;
  }
  if (!flushed_) Flush();
}

void TextTable::Flush() {
  for (const std::vector<std::string>& row : held_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths_[i] = std::min(kMostWidth, std::max(widths_[i], row[i].size()));
  }
  for (const std::vector<std::string>& row : held_) Write(row);
  held_.clear();
  flushed_ = true;
}

void TextTable::Write(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += cells[i];
    if (i + 1 == cells.size()) break;
    const std::size_t width = widths_[i];
    line.append(cells[i].size() < width ? width - cells[i].size() : 0, ' ').append("  ");
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out_ << line << '\n';
}

}  // namespace holdfast::replay
