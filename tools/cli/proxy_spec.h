// An item of a list as the message that goes to the daemon.
//
// Called by the import for each item. Pure. What goes is the reference of a credential, never the credential: an item
// does not hold it.

#pragma once

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/import/item.h"

namespace holdfast::cli {

// proxy_id stays empty: the daemon derives it from the endpoint, the same way for everybody.
admin::v1::ProxySpec ToProxySpec(const importer::Item& item);

}  // namespace holdfast::cli
