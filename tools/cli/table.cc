#include "tools/cli/table.h"

#include <algorithm>
#include <ostream>
#include <utility>

#include "tools/cli/printable_text.h"

namespace holdfast::cli {
namespace {

constexpr std::size_t kRowsOfAChunk = 500;

}  // namespace

Table::Table(std::ostream& out, std::vector<std::string> columns) : out_(out), columns_(std::move(columns)) {
  for (std::string& column : columns_) {
    right_.push_back(column.starts_with('#'));
    if (right_.back()) column.erase(0, 1);
    widths_.push_back(column.size());
  }
}

void Table::Add(std::vector<std::string> cells) {
  cells.resize(columns_.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    cells[i] = cells[i].empty() ? "-" : PrintableText(cells[i]);
    widths_[i] = std::max(widths_[i], DisplayWidth(cells[i]));
  }
  pending_.push_back(std::move(cells));
  ++rows_;
  if (pending_.size() >= kRowsOfAChunk) Write();
}

void Table::Finish(bool whole) {
  if (whole || rows_ > 0) Write();
}

void Table::Write() {
  if (!head_written_) WriteLine(columns_);
  head_written_ = true;
  for (const auto& cells : pending_) WriteLine(cells);
  pending_.clear();
}

void Table::WriteLine(const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths_[i] - DisplayWidth(cells[i]), ' ');
    if (i > 0) line += "  ";
    line += right_[i] ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out_ << line << '\n';
}

}  // namespace holdfast::cli
