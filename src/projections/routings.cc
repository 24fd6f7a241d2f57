#include "projections/routings.h"

#include "base/check.h"
#include "events/field_codec.h"

namespace holdfast {

void Routings::Apply(const RoutingsApplied& event, const EntryPoint&) {
  HOLDFAST_CHECK(event.revision == revision_ + 1);
  revision_ = event.revision;
  routings_ = Boxed<std::vector<RoutingSpec>>(event.routings);
}

Digest Routings::digest() const {
  RowHasher hash(10);
  hash.Number(revision_);
  std::string row;
  for (const RoutingSpec& routing : *routings_) {
    row.clear();
    wire::PutStruct(row, routing);
    hash.Text(row);
  }
  return hash.Finish();
}

}  // namespace holdfast
