#include "controller/period_rows.h"

#include "events/field_codec.h"

namespace holdfast {
namespace {

// Big-endian, so that keys sort as numbers do.
std::string SortableNumber(std::uint64_t number) {
  std::string text(8, '\0');
  for (int i = 7; i >= 0; --i, number >>= 8) text[static_cast<std::size_t>(i)] = static_cast<char>(number & 0xff);
  return text;
}

}  // namespace

void AppendPeriodRows(const OwnershipPeriod& period, std::vector<SideRow>& rows) {
  std::string value;
  wire::PutStruct(value, period);
  const std::string sequence = SortableNumber(period.granted_sequence.value());
  rows.push_back({PeriodKeyPrefixOfProxy(period.proxy_id) + sequence + period.address, value});
  const std::string holder =
      period.client_id.empty() ? PeriodKeyPrefixOfWorker(period.worker_id) : PeriodKeyPrefixOfClient(period.client_id);
  rows.push_back({holder + sequence + period.proxy_id, std::move(value)});
}

absl::StatusOr<OwnershipPeriod> ReadPeriodRow(std::string_view value) {
  OwnershipPeriod period;
  if (!wire::GetStruct(value, period)) return absl::DataLossError("a stored ownership period is malformed");
  return period;
}

}  // namespace holdfast
