#include "tests/pool/sample_pool.h"

#include <gtest/gtest.h>

#include <utility>

namespace holdfast::pool::testing {
namespace {

template <class Take>
void ScanAll(PoolStore& store, ScanRequest request, Take&& take) {
  do {
    auto slice = store.Scan(request, kPatience);
    ASSERT_TRUE(slice.ok()) << slice.status();
    request.cursor = slice->cursor;
    take(*slice);
  } while (!request.cursor.empty());
}

template <class Result>
Result Take(absl::StatusOr<Result> result, std::uint64_t& applied) {
  if (!result.ok()) {
    ADD_FAILURE() << result.status();
    return {};
  }
  applied = result->position.applied_seq.value();
  return *std::move(result);
}

}  // namespace

LogId MakeLogId(std::uint8_t number) {
  LogId log_id{};
  log_id.fill(number);
  return log_id;
}

std::string AddressName(int number) {
  return "198.18." + std::to_string(number / 250) + "." + std::to_string(number % 250) + ":8080";
}

AddressRow Unowned(const std::string& id, Sequence sequence) {
  AddressRow row;
  row.id = id;
  row.sequence = sequence;
  row.available_until = kUntil;
  return row;
}

AddressRow Granted(const std::string& id, const std::string& worker, Sequence sequence) {
  AddressRow row = Unowned(id, sequence);
  row.state = AddressState::kGranted;
  row.owner = worker;
  row.epoch = Epoch(3);
  return row;
}

AddressRow Extracted(const std::string& id, const std::string& extraction_id, Sequence sequence) {
  AddressRow row = Unowned(id, sequence);
  row.state = AddressState::kExtracted;
  row.available_until.reset();
  row.extraction_id = extraction_id;
  row.extracted_until = kUntil;
  return row;
}

ProxyRow Proxy(const std::string& id, const std::string& address) {
  return {.id = id,
          .address = address,
          .scheme = "socks5h",
          .health = "available",
          .usable_until = kUntil,
          .sequence = Sequence(1)};
}

std::vector<Write> SampleRows(int count) {
  std::vector<Write> rows;
  for (int i = 0; i < count; ++i) {
    rows.push_back(AddressWrite{.row = Unowned(AddressName(i)), .previous_owner = ""});
    rows.push_back(Proxy("proxy-" + std::to_string(i), AddressName(i)));
  }
  return rows;
}

std::vector<Candidate> SampleCandidates(int first, int count) {
  std::vector<Candidate> candidates;
  for (int i = first; i < first + count; ++i) candidates.push_back({AddressName(i), {"proxy-" + std::to_string(i)}});
  return candidates;
}

Content ReadAll(PoolStore& store, std::size_t limit) {
  Content content;
  const auto scan = [&](ScanKind kind, std::string worker, auto&& take) {
    ScanAll(store, {.kind = kind, .worker = std::move(worker), .limit = limit}, [&](ScanSlice& slice) {
      content.unreadable.insert(slice.unreadable.begin(), slice.unreadable.end());
      take(slice);
    });
  };
  scan(ScanKind::kAddresses, "", [&](ScanSlice& slice) {
    for (AddressRow& row : slice.addresses) content.addresses[row.id] = row;
  });
  scan(ScanKind::kProxies, "", [&](ScanSlice& slice) {
    for (ProxyRow& row : slice.proxies) content.proxies[row.id] = row;
  });
  scan(ScanKind::kSessions, "", [&](ScanSlice& slice) {
    for (SessionRow& row : slice.sessions) content.sessions.insert(row.worker);
  });
  scan(ScanKind::kAvailable, "", [&](ScanSlice& slice) {
    for (AvailableEntry& entry : slice.available) content.available[entry.address] = entry.usable_until;
  });
  std::set<std::string> owners;
  scan(ScanKind::kOwners, "", [&](ScanSlice& slice) { owners.insert(slice.owners.begin(), slice.owners.end()); });
  for (const std::string& owner : owners) {
    scan(ScanKind::kOwned, owner,
         [&](ScanSlice& slice) { content.owned[owner].insert(slice.owned.begin(), slice.owned.end()); });
  }
  return content;
}

void Fill(PoolStore& store, const std::vector<Write>& rows, Sequence applied, ResyncStart start) {
  const auto begun = store.BeginResync(start, kPatience);
  ASSERT_TRUE(begun.ok()) << begun.status();
  ASSERT_EQ(begun->verdict, Verdict::kDone) << VerdictName(begun->verdict);
  for (bool finished = false; !finished;) {
    const auto cleared = store.ClearSome(kPatience);
    ASSERT_TRUE(cleared.ok()) << cleared.status();
    ASSERT_EQ(cleared->verdict, Verdict::kDone) << VerdictName(cleared->verdict);
    finished = cleared->finished;
  }
  const auto written = store.WriteResync(rows, kPatience);
  ASSERT_TRUE(written.ok()) << written.status();
  ASSERT_EQ(written->verdict, Verdict::kDone) << VerdictName(written->verdict);
  const auto finished = store.FinishResync(applied, kPatience);
  ASSERT_TRUE(finished.ok()) << finished.status();
  ASSERT_EQ(finished->verdict, Verdict::kDone) << VerdictName(finished->verdict);
}

void Projector::Fill(const std::vector<Write>& rows, std::uint64_t sequence) {
  testing::Fill(store_, rows, Sequence(sequence), Start());
  applied = sequence;
}

Batch Projector::NextBatch(std::vector<Write> writes, std::uint64_t entries) {
  Batch batch;
  batch.log_id = log_id;
  batch.controller_epoch = epoch_;
  batch.follows = Sequence(applied);
  batch.upto = Sequence(applied + entries);
  batch.writes = std::move(writes);
  return batch;
}

ExtractRequest Projector::NextExtract(std::string id, std::vector<Candidate> candidates, std::uint32_t need) {
  ExtractRequest request;
  request.log_id = log_id;
  request.controller_epoch = epoch_;
  request.extraction_id = std::move(id);
  request.follows = Sequence(applied);
  request.sequence = Sequence(applied + 1);
  request.candidates = std::move(candidates);
  request.need = need;
  request.extracted_until = kUntil;
  return request;
}

CancelRequest Projector::CancelOf(const ExtractRequest& request) const {
  return {log_id, epoch_, request.extraction_id, request.follows, request.sequence};
}

ApplyResult Projector::Apply(const Batch& batch) { return Apply(std::vector<Batch>{batch}); }
ApplyResult Projector::Apply(const std::vector<Batch>& batches) {
  return Take(store_.Apply(batches, kPatience), applied);
}
ExtractResult Projector::Extract(const ExtractRequest& request) {
  return Take(store_.Extract(request, kPatience), applied);
}
ExtractResult Projector::Cancel(const CancelRequest& request) {
  return Take(store_.Cancel(request, kPatience), applied);
}

Position Projector::ReadPosition() {
  auto position = store_.ReadPosition(kPatience);
  if (!position.ok()) ADD_FAILURE() << position.status();
  if (!position.ok()) return {};
  applied = position->applied_seq.value();
  return *position;
}

}  // namespace holdfast::pool::testing
