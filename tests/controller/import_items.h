// Items of an import as the tests of imports write them, and what came of them.

#pragma once

#include <string>
#include <vector>

#include "tests/controller/rule_fixture.h"

namespace holdfast::testing {

// A proxy as an import carries it; ProxySpec is how the pool keeps it.
using WireProxy = admin::v1::ProxySpec;

// Another scheme of the machine that Item(number) stands on.
inline WireProxy Socks(int number) {
  return Item(number,
              [](WireProxy& item) { item.mutable_endpoint()->set_scheme(controlplane::v1::PROXY_SCHEME_SOCKS5); });
}

inline WireProxy Named(const std::string& id, int number) {
  return Item(number, [&](WireProxy& item) { item.set_proxy_id(id); });
}

inline WireProxy Of(const std::string& source, int number) {
  return Item(number, [&](WireProxy& item) { item.set_source(source); });
}

inline const ProxyRow& ProxyRowOf(const Story& story, const std::string& id) {
  return story.state().pool().proxy(story.state().pool().FindProxy(id));
}

// Added, updated, unchanged, rejected.
inline std::vector<std::uint64_t> Counts(const admin::v1::ImportProxiesResponse& reply) {
  return {reply.added(), reply.updated(), reply.unchanged(), reply.rejected()};
}

}  // namespace holdfast::testing
