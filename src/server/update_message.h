// An update as it goes over the wire: the message that carries exactly what its checksum covers.
//
// Called by the hub on the dispatcher's or the builder's thread: a push's rows are immutable. Thread: any; pure
// functions. Ensures: upserted and removed ascend by the bytes of their ids; routings are those that the worker's zone
// sees, in match order.

#pragma once

#include "controller/effect.h"
#include "controlplane/v1/controlplane.pb.h"

namespace holdfast::server {

void BuildUpdate(const PushUpdate& push, controlplane::v1::SnapshotUpdate* out);
void BuildDrain(const PushDrain& push, controlplane::v1::SnapshotUpdate* out);

// Rows that building it costs: what is more than a handful is not built on the dispatcher's thread.
std::size_t RowsOf(const PushUpdate& push);

}  // namespace holdfast::server
