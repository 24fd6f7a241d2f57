// A table for people. Widths come from its first rows, so that a table of a million rows is never held.
//
// Thread: one. The last column is not padded.

#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace holdfast::replay {

class TextTable {
 public:
  TextTable(std::ostream& out, std::vector<std::string> columns);
  // Requires: as many cells as there are columns.
  void Add(std::vector<std::string> cells);
  // Writes what is left; `nothing` where there was no row.
  void Finish(const std::string& nothing);

 private:
  void Flush();
  void Write(const std::vector<std::string>& cells);

  std::ostream& out_;
  std::vector<std::vector<std::string>> held_;  // the headings and the first rows
  std::vector<std::size_t> widths_;
  bool flushed_ = false;
};

}  // namespace holdfast::replay
