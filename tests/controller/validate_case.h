// What the tests of validate.h say of one call: edits of a good request that are MALFORMED, and edits that are well.
//
// Thread: the test's.

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "controller/validate.h"

namespace holdfast::testing {

template <class Request>
struct Case {
  std::string field;
  std::function<void(Request&)> edit;
};

// Each edit of a good request is MALFORMED, and says which field it was.
template <class Request>
void ExpectMalformed(const Request& good, const std::vector<Case<Request>>& cases) {
  EXPECT_FALSE(Validate(good, Settings()).has_value());
  for (const Case<Request>& one : cases) {
    Request request = good;
    one.edit(request);

    const std::optional<Rejection> rejection = Validate(request, Settings());

    ASSERT_TRUE(rejection.has_value()) << one.field;
    EXPECT_EQ(rejection->reason, RejectReason::kMalformed) << one.field;
    EXPECT_EQ(rejection->field, one.field);
    EXPECT_THAT(rejection->message, ::testing::HasSubstr(one.field));
  }
}

template <class Request>
void ExpectGood(const Request& good, const std::vector<std::function<void(Request&)>>& edits) {
  for (std::size_t i = 0; i < edits.size(); ++i) {
    Request request = good;
    edits[i](request);
    const std::optional<Rejection> rejection = Validate(request, Settings());
    EXPECT_FALSE(rejection.has_value()) << "edit " << i << ": " << rejection->message;
  }
}

}  // namespace holdfast::testing
