// An aligned table for people, written in chunks: the widths are those of the chunk, and never narrower than before, so
// that a list of a million rows needs the memory of a few hundred.
//
// Called by the commands that list. Thread: one. No colour and no line drawing: what a person sees is what `grep` sees.
// Control characters in cells are escaped (PrintableText): a proxy list is somebody else's text.

#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

namespace holdfast::cli {

class Table {
 public:
  // Columns whose name begins with '#' are aligned to the right; the sign is not shown. `out` outlives the table.
  Table(std::ostream& out, std::vector<std::string> columns);

  // Requires: as many cells as columns. An empty cell is shown as "-".
  void Add(std::vector<std::string> cells);
  // Writes what is left. An empty table still has its head, but for one that broke off (not whole).
  void Finish(bool whole);

  std::size_t rows() const { return rows_; }

 private:
  void Write();
  void WriteLine(const std::vector<std::string>& cells);

  std::ostream& out_;
  std::vector<std::string> columns_;
  std::vector<bool> right_;
  std::vector<std::size_t> widths_;
  std::vector<std::vector<std::string>> pending_;
  std::size_t rows_ = 0;
  bool head_written_ = false;
};

}  // namespace holdfast::cli
