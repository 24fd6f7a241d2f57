// A proxy as operators are shown it, and whether a list asks for it.
//
// Called on the follower's thread. Pure.

#pragma once

#include "controller/capacity.h"
#include "holdfast/admin/v1/admin.pb.h"

namespace holdfast::server {

// Requires: the proxy is in the pool. now: log time, for what runs out.
void PutProxyStatus(const ControllerState& state, ProxyKey proxy, LogTime now, admin::v1::ProxyStatus* out);

// Whether the proxy passes the filters of the request, but for limit and proxy_ids.
bool IsAskedFor(const ControllerState& state, ProxyKey proxy, const admin::v1::ListProxiesRequest& request);

}  // namespace holdfast::server
