#include "tools/cli/proxy_spec.h"

#include "tools/cli/time_text.h"

namespace holdfast::cli {

admin::v1::ProxySpec ToProxySpec(const importer::Item& item) {
  admin::v1::ProxySpec spec;
  auto& endpoint = *spec.mutable_endpoint();
  endpoint.set_scheme(static_cast<controlplane::v1::ProxyScheme>(item.endpoint.scheme));  // the numbers are the wire's
  endpoint.set_host(item.endpoint.host);
  endpoint.set_port(item.endpoint.port);
  spec.set_capacity(item.capacity);
  if (!IsAbsent(item.expires_at)) *spec.mutable_expires_at() = ToTimestamp(holdfast::ToMicros(item.expires_at));
  spec.set_secret_ref(item.secret_ref);
  for (const auto& [key, value] : item.labels) (*spec.mutable_labels())[key] = value;
  spec.set_zone(item.zone);
  spec.set_source(item.source);
  return spec;
}

}  // namespace holdfast::cli
