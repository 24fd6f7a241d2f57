// One item of an import, read: normalised, defaults filled in, its times fixed; or why it is refused.
//
// Called by the rule of imports (decide_import.cc), which knows the pool; this knows the item alone. Pure, as all rules
// (decide.h). Details of a refusal never repeat a text of the item, which may hold a credential.

#pragma once

#include <optional>
#include <string>

#include "base/settings.h"
#include "events/pool_events.h"
#include "holdfast/admin/v1/admin.pb.h"

namespace holdfast {

struct ItemRejection {
  admin::v1::ImportReason reason{};
  std::string detail;  // what is wrong, and what to do
};

struct ImportItem {
  // Which proxy it speaks of: its id, or its canonical URL. Set for a refused item as well, as far as it can be known.
  std::string identity;
  std::optional<ItemRejection> rejection;
  // Without a rejection:
  ProxySpec spec;
  bool renews = false;  // named no expires_at: it lives for default_lifetime from now
};

ImportItem ReadImportItem(const admin::v1::ProxySpec& item, const Settings& settings, LogTime now);

}  // namespace holdfast
