// Ids of proxies as a person names them on the command line, in the batches that a call may hold.
//
// Called by the commands that take many ids. Thread: one.

#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/cli/invocation.h"

namespace holdfast::cli {

inline constexpr std::size_t kIdsOfACall = 10'000;               // the contract's bound
inline constexpr std::size_t kIdBytesOfACall = 4 * 1024 * 1024;  // well below what a daemon receives

// "-" stands for ids on standard input, one a line.
std::vector<std::string> GatherIds(Invocation& invocation, const std::vector<std::string>& given);

// Fills a Request with each batch in turn and calls `call(request)` with it, until one does not go well.
template <class Request, class Call>
Result ForEachBatch(const std::vector<std::string>& ids, const std::string& reason, Call call) {
  Result called = Result::Done();
  for (auto next = ids.begin(); next != ids.end() && called.ok();) {
    Request request;
    request.set_reason(reason);
    std::size_t bytes = 0;
    for (std::size_t count = 0; next != ids.end() && count < kIdsOfACall && bytes < kIdBytesOfACall; ++count, ++next) {
      request.add_proxy_ids(*next);
      bytes += next->size();
    }
    called = call(request);
  }
  return called;
}

}  // namespace holdfast::cli
