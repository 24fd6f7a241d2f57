// Items of an import as the tests of imports write them, and what came of them.

#pragma once

#include <string>
#include <vector>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {

// Another scheme of the machine that Item(number) stands on.
inline admin::v1::ProxySpec Socks(int number) {
  return Item(number, [](admin::v1::ProxySpec& item) {
    item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5);
  });
}

inline admin::v1::ProxySpec Named(const std::string& id, int number) {
  return Item(number, [&](admin::v1::ProxySpec& item) { item.set_proxy_id(id); });
}

inline admin::v1::ProxySpec Of(const std::string& source, int number) {
  return Item(number, [&](admin::v1::ProxySpec& item) { item.set_source(source); });
}

inline const ProxyRow& RowOf(const Story& story, const std::string& id) {
  return story.state().pool().proxy(story.state().pool().FindProxy(id));
}

// Added, updated, unchanged, rejected.
inline std::vector<std::uint64_t> Counts(const admin::v1::ImportProxiesResponse& reply) {
  return {reply.added(), reply.updated(), reply.unchanged(), reply.rejected()};
}

}  // namespace holdfast::testing
