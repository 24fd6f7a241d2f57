// Takes out of an import what might be a password, before anything of it is queued or logged.
//
// Called by the import call on gRPC's threads. Pure. Promises: what is taken out is replaced by something that the rule
// of imports (controller/import_item.h) refuses for the same reason, so the answer is the same and the log can be
// decided again; what is fine is left as it is. A host that is no host is replaced too: lists put
// "host:port:user:password" there. Fields of a newer contract are dropped. Does not: find a secret in an id or a label
// that looks like no URL.

#pragma once

#include "base/settings.h"
#include "holdfast/admin/v1/admin.pb.h"

namespace holdfast::server {

void RedactSecrets(const Settings& settings, admin::v1::ImportProxiesRequest* request);

}  // namespace holdfast::server
