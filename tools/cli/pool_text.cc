#include "tools/cli/pool_text.h"

#include "tools/cli/time_text.h"

namespace holdfast::cli {
namespace {

using admin::v1::AdoptPoolResponse;
using admin::v1::DiffPoolResponse;
using admin::v1::PoolDifference;
using admin::v1::RebuildPoolResponse;

std::string RowText(const PoolDifference& difference) {
  if (!difference.proxy_id().empty()) return "proxy " + difference.proxy_id();
  if (!difference.address().empty()) return "address " + difference.address();
  return difference.worker_id().empty() ? "" : "session " + difference.worker_id();
}

std::string RowsText(const RebuildPoolResponse& answer) {
  return CountOf(answer.proxies_written(), "proxy", "proxies") + " and " +
         CountOf(answer.addresses_written(), "address", "addresses");
}

}  // namespace

std::vector<std::string> DifferenceColumns() { return {"ROW", "FIELD", "BY THE LOG", "IN THE STORE"}; }

std::vector<std::string> DifferenceCells(const PoolDifference& difference) {
  return {RowText(difference), difference.field(), difference.in_projection(), difference.in_store()};
}

Json DifferenceJson(const PoolDifference& difference) {
  Json json;
  json["proxy_id"] = TextJson(difference.proxy_id());
  json["address"] = TextJson(difference.address());
  json["worker_id"] = TextJson(difference.worker_id());
  json["field"] = difference.field();
  json["in_projection"] = TextJson(difference.in_projection());
  json["in_store"] = TextJson(difference.in_store());
  return json;
}

std::string DiffProgressText(const DiffPoolResponse& latest, std::uint64_t differences) {
  return CountText(latest.compared()) + " of about " + CountOf(latest.total(), "row", "rows") + " compared, " +
         CountOf(differences, "difference", "differences");
}

std::string DiffEndText(const DiffPoolResponse& latest, std::uint64_t differences) {
  std::string text = CountOf(differences, "difference", "differences");
  if (latest.truncated()) text += ", and more that are not listed";
  return text + "; " + CountOf(latest.compared(), "row", "rows") + " compared, the store applied to sequence " +
         std::to_string(latest.applied_sequence());
}

Json DiffEndJson(const DiffPoolResponse& latest) {
  Json json;
  json["compared"] = latest.compared();
  json["total"] = latest.total();
  json["applied_sequence"] = latest.applied_sequence();
  json["truncated"] = latest.truncated();
  return json;
}

std::string RebuildText(const RebuildPoolResponse& answer, bool dry_run) {
  const std::string sequence = std::to_string(answer.applied_sequence());
  if (dry_run) {
    return RowsText(answer) + " would be written; nothing was. The store is applied to sequence " + sequence;
  }
  return RowsText(answer) + " written; the store is applied to sequence " + sequence;
}

Json RebuildJson(const RebuildPoolResponse& answer, bool dry_run) {
  Json json;
  json["dry_run"] = dry_run;
  json["proxies_written"] = answer.proxies_written();
  json["addresses_written"] = answer.addresses_written();
  json["applied_sequence"] = answer.applied_sequence();
  return json;
}

std::string AdoptText(const AdoptPoolResponse& answer) {
  const std::string before = answer.previous_log_id().empty() ? std::string("it named no log before")
                                                              : "before it was that of log " + answer.previous_log_id();
  return "the pool store is this log's from now on; " + before + ", applied to sequence " +
         std::to_string(answer.previous_applied_sequence()) + ". Log sequence " + std::to_string(answer.log_sequence());
}

Json AdoptJson(const AdoptPoolResponse& answer) {
  Json json;
  json["previous_log_id"] = TextJson(answer.previous_log_id());
  json["previous_applied_sequence"] = answer.previous_applied_sequence();
  json["log_sequence"] = answer.log_sequence();
  return json;
}

}  // namespace holdfast::cli
