// The status as metrics: every figure of GetStatus that a dashboard or an alert may ask for.
//
// Pure. All are gauges named holdfast_…, units last; seconds and bytes. What is counted by state is there with 0 for
// the states that nobody is in, so that no series comes and goes. docs/operations/metrics.md lists them, and a test
// holds the two against each other.

#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "holdfast/audit/v1/audit.pb.h"

namespace holdfast::server {

// status: null: the daemon recovers, or could not be asked: nothing is known but that it does not serve.
std::vector<prometheus::MetricFamily> MetricsOf(const audit::v1::GetStatusResponse* status);

}  // namespace holdfast::server
