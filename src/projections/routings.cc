#include "projections/routings.h"

#include "base/check.h"
#include "events/field_codec.h"

namespace holdfast {

void Routings::Apply(const RoutingsApplied& event, const EntryPoint&) {
  HOLDFAST_CHECK(event.revision == revision_ + 1);
  revision_ = event.revision;
  std::vector<RoutingKey> keys;
  for (const RoutingSpec& routing : event.routings) {
    const RoutingKey before = KeyOf(routing.routing_id);
    keys.push_back(before.value() != 0 ? before : next_key_);
    if (before.value() == 0) next_key_ = Next(next_key_);
  }
  keys_ = std::move(keys);
  routings_ = Boxed<std::vector<RoutingSpec>>(event.routings);
}

RoutingKey Routings::KeyOf(std::string_view routing_id) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if ((*routings_)[i].routing_id == routing_id) return keys_[i];
  }
  return RoutingKey();
}

const RoutingSpec* Routings::Find(RoutingKey key) const {
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (keys_[i] == key) return &(*routings_)[i];
  }
  return nullptr;
}

Digest Routings::digest() const {
  RowHasher hash(10);
  hash.Number(revision_).Number(next_key_.value());
  for (const RoutingKey key : keys_) hash.Number(key.value());
  std::string row;
  for (const RoutingSpec& routing : *routings_) {
    row.clear();
    wire::PutStruct(row, routing);
    hash.Text(row);
  }
  return hash.Finish();
}

}  // namespace holdfast
