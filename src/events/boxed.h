// An immutable value that many may share: what an event carries and several projections keep, stored once.
//
// Thread: the pointer is a plain value; the boxed value never changes. Equality is that of the values.

#pragma once

#include <memory>
#include <utility>

namespace holdfast {

template <class T>
class Boxed {
 public:
  Boxed() = default;
  explicit Boxed(T value) : value_(std::make_shared<const T>(std::move(value))) {}

  explicit operator bool() const { return value_ != nullptr; }
  // Requires: holds a value.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    if (a.value_ == b.value_) return true;
    return a.value_ && b.value_ && *a.value_ == *b.value_;
  }

 private:
  std::shared_ptr<const T> value_;
};

}  // namespace holdfast
