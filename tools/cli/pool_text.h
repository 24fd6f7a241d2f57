// The pool store for operators: where it differs from the log, what a rebuild wrote, what an adoption took over.
//
// Called by command_pool. Pure.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "holdfast/admin/v1/admin.pb.h"
#include "tools/cli/json_text.h"

namespace holdfast::cli {

std::vector<std::string> DifferenceColumns();
std::vector<std::string> DifferenceCells(const admin::v1::PoolDifference& difference);
Json DifferenceJson(const admin::v1::PoolDifference& difference);

// How far a comparison is: "12,000 of about 40,000 rows compared, 3 differences".
std::string DiffProgressText(const admin::v1::DiffPoolResponse& latest, std::uint64_t differences);
// How it ended; `latest` is what the last response said.
std::string DiffEndText(const admin::v1::DiffPoolResponse& latest, std::uint64_t differences);
Json DiffEndJson(const admin::v1::DiffPoolResponse& latest);

std::string RebuildText(const admin::v1::RebuildPoolResponse& answer, bool dry_run);
Json RebuildJson(const admin::v1::RebuildPoolResponse& answer, bool dry_run);

std::string AdoptText(const admin::v1::AdoptPoolResponse& answer);
Json AdoptJson(const admin::v1::AdoptPoolResponse& answer);

}  // namespace holdfast::cli
