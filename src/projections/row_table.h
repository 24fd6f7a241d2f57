// Rows by key. Keys are assigned by the log from 1 upwards and never again, so a key is a place: pages of rows, of
// which the empty ones are freed. Finding a row costs two loads whatever the size; growing moves no row.
//
// Thread: owned by its projection. Guarantees: a row stays where it is until it is erased. Does not: iterate in
// anything but key order.

#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"

namespace holdfast {

template <class Key, class Row>
class RowTable {
 public:
  // Requires: key is not 0 and not in the table.
  Row& Insert(Key key, Row row) {
    HOLDFAST_CHECK(key.value() != 0);
    const std::size_t page = key.value() / kPageRows;
    if (page >= pages_.size()) pages_.resize(page + 1);
    if (!pages_[page]) pages_[page] = std::make_unique<Page>();
    std::optional<Row>& slot = pages_[page]->rows[key.value() % kPageRows];
    HOLDFAST_CHECK(!slot);
    slot.emplace(std::move(row));
    ++pages_[page]->used;
    ++size_;
    return *slot;
  }

  Row* Find(Key key) { return const_cast<Row*>(std::as_const(*this).Find(key)); }
  const Row* Find(Key key) const {
    const std::size_t page = key.value() / kPageRows;
    if (page >= pages_.size() || !pages_[page]) return nullptr;
    const std::optional<Row>& slot = pages_[page]->rows[key.value() % kPageRows];
    return slot ? &*slot : nullptr;
  }

  // Requires: the key is in the table.
  Row& At(Key key) {
    Row* row = Find(key);
    HOLDFAST_CHECK(row != nullptr);
    return *row;
  }
  const Row& At(Key key) const {
    const Row* row = Find(key);
    HOLDFAST_CHECK(row != nullptr);
    return *row;
  }

  // Requires: the key is in the table.
  void Erase(Key key) {
    HOLDFAST_CHECK(Find(key) != nullptr);
    std::unique_ptr<Page>& page = pages_[key.value() / kPageRows];
    page->rows[key.value() % kPageRows].reset();
    --size_;
    if (--page->used == 0) page.reset();
  }

  std::size_t size() const { return size_; }

  // The first key at or above `from` that is in the table; 0: none.
  Key NextKey(Key from) const {
    for (std::size_t key = std::max<std::size_t>(from.value(), 1); key < pages_.size() * kPageRows;) {
      if (!pages_[key / kPageRows]) {
        key = (key / kPageRows + 1) * kPageRows;
        continue;
      }
      if (pages_[key / kPageRows]->rows[key % kPageRows]) return Key(static_cast<typename Key::Representation>(key));
      ++key;
    }
    return Key();
  }

  // In key order. F: void(Key, Row&).
  template <class F>
  void ForEach(F&& f) {
    for (Key key = NextKey(Key(1)); key.value() != 0; key = NextKey(Key(key.value() + 1))) f(key, At(key));
  }
  template <class F>
  void ForEach(F&& f) const {
    for (Key key = NextKey(Key(1)); key.value() != 0; key = NextKey(Key(key.value() + 1))) f(key, At(key));
  }

 private:
  static constexpr std::size_t kPageRows = 1024;
  struct Page {
    std::array<std::optional<Row>, kPageRows> rows;
    std::size_t used = 0;
  };
  std::vector<std::unique_ptr<Page>> pages_;
  std::size_t size_ = 0;
};

}  // namespace holdfast
